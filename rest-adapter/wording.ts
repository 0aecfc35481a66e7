import { Kind, parse, type ValueNode } from 'graphql'
import type { FieldProblem } from '../subgraphs/kernel/errors.ts'
import type { RestOperation } from './contract.ts'
import { sourcesOf, type Values } from './translate.ts'

interface Found {
  readonly value: ValueNode
  /** What the path says beyond it. */
  readonly rest: readonly string[]
}

/**
 * Says in the words of one REST operation what the graph says of the arguments and variables of its stored document: a path into
 * an argument leads to the variable there, and the variable to what the caller sent. Compiled once per operation.
 */
export class Wording {
  private readonly names: ReadonlyMap<string, string>
  private readonly arguments: ReadonlyMap<string, ValueNode>

  constructor(operation: RestOperation) {
    this.names = new Map(
      sourcesOf(operation).flatMap(({ variable, sources: [source] }) => (source ? [[variable, source.name]] : [])),
    )
    const [root] = parse(operation.document ?? '{ result: __typename }').definitions.flatMap((node) =>
      node.kind === Kind.OPERATION_DEFINITION ? node.selectionSet.selections : [],
    )
    const given = root?.kind === Kind.FIELD ? (root.arguments ?? []) : []
    this.arguments = new Map(given.map(({ name, value }) => [name.value, value]))
  }

  /** Works on what is thrown and on errors of an answer; what speaks of no argument is returned as it is. */
  of(refused: unknown, variables: Values): unknown {
    const { extensions, message = '' } = (refused ?? {}) as { extensions?: Values; message?: string }
    const problems = extensions?.['errors'] as readonly FieldProblem[] | undefined
    if (!Array.isArray(problems)) return refused
    let isSame = true
    let detail = message
    const errors = problems.map((problem) => {
      const path = this.path(String(problem.path), variables)
      if (path === null || path === problem.path) return problem
      isSame = false
      detail = reworded(detail, String(problem.path), path)
      return { ...problem, path, message: reworded(problem.message, String(problem.path), path) }
    })
    return isSame ? refused : { message: detail, extensions: { ...extensions, errors } }
  }

  /** Null when it leads to nothing that can be sent. */
  private path(path: string, variables: Values): string | null {
    const [first = '', ...more] = path.split('.')
    const argument = this.arguments.get(first)
    const { value, rest } = argument ? walk(argument, more) : { value: null, rest: more }
    if (value && value.kind !== Kind.VARIABLE && rest.length > 0) return null
    const candidates = value ? variablesIn(value) : [first]
    // Of several that make up one argument it is the first that was sent.
    const name = this.names.get(candidates.find((variable) => variable in variables) ?? candidates[0] ?? '')
    return name === undefined ? null : [name, ...rest].filter((part) => part !== '').join('.')
  }
}

function walk(value: ValueNode, path: readonly string[]): Found {
  const [step, ...rest] = path
  const next =
    step === undefined
      ? undefined
      : value.kind === Kind.OBJECT
        ? value.fields.find(({ name }) => name.value === step)?.value
        : value.kind === Kind.LIST
          ? value.values[Number(step)]
          : undefined
  return next ? walk(next, rest) : { value, rest: path }
}

function variablesIn(value: ValueNode): string[] {
  if (value.kind === Kind.VARIABLE) return [value.name.value]
  if (value.kind === Kind.LIST) return value.values.flatMap(variablesIn)
  return value.kind === Kind.OBJECT ? value.fields.flatMap((field) => variablesIn(field.value)) : []
}

/** The path as a word of its own, not as a part of another. */
function reworded(text: string, from: string, to: string): string {
  const escaped = from.replaceAll(/[^\w]/g, '\\$&')
  return text.replaceAll(new RegExp(`(?<![\\w.$])${escaped}(?!\\.?\\w)`, 'g'), () => to || 'The body')
}
