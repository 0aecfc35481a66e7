import { Kind, parse, type ValueNode } from 'graphql'
import type { FieldProblem } from '../subgraphs/kernel/errors.ts'
import type { RestOperation } from './rest-operation.ts'
import { sourcesOf, type Values } from './translate.ts'

interface Found {
  readonly value: ValueNode
  /** The rest of the path, below the value. */
  readonly rest: readonly string[]
}

/**
 * Converts errors of the graph to errors of REST: a path in an argument of the stored document is replaced by the parameter that the
 * caller sent. The path is followed to a variable, and the variable to its parameter. It is compiled once per operation.
 */
export class ErrorTranslation {
  private readonly names: ReadonlyMap<string, string>
  private readonly arguments: ReadonlyMap<string, ValueNode>
  /** Second names of parameters, each with the first name. */
  private readonly aliases: readonly (readonly [alias: string, name: string])[]

  constructor(operation: RestOperation) {
    this.names = new Map(
      sourcesOf(operation).flatMap(({ variable, sources: [source] }) => (source ? [[variable, source.name]] : [])),
    )
    this.aliases = operation.parameters.flatMap(({ name, 'x-alias-of': original }) =>
      original ? [[name, original]] : [],
    )
    const [root] = parse(operation.document ?? '{ result: __typename }').definitions.flatMap((node) =>
      node.kind === Kind.OPERATION_DEFINITION ? node.selectionSet.selections : [],
    )
    const given = root?.kind === Kind.FIELD ? (root.arguments ?? []) : []
    this.arguments = new Map(given.map(({ name, value }) => [name.value, value]))
  }

  /** Converts a thrown refusal or an error of a result. It returns an error unchanged if it is not about an argument. */
  toRest(refused: unknown, variables: Values, query: Values = {}): unknown {
    const { extensions, message = '' } = (refused ?? {}) as { extensions?: Values; message?: string }
    const problems = extensions?.['errors'] as readonly FieldProblem[] | undefined
    if (!Array.isArray(problems)) return refused
    let isSame = true
    let detail = message
    const errors = problems.map((problem) => {
      const path = this.restPath(String(problem.path), variables, query)
      if (path === null || path === problem.path) return problem
      isSame = false
      detail = withPathReplaced(detail, String(problem.path), path)
      return { ...problem, path, message: withPathReplaced(problem.message, String(problem.path), path) }
    })
    return isSame ? refused : { message: detail, extensions: { ...extensions, errors } }
  }

  /** The parameter or body field for a path; null if the path is none of the inputs of the caller. */
  private restPath(path: string, variables: Values, query: Values): string | null {
    const [first = '', ...more] = path.split('.')
    const argument = this.arguments.get(first)
    const { value, rest } = argument ? walk(argument, more) : { value: null, rest: more }
    if (value && value.kind !== Kind.VARIABLE && rest.length > 0) return null
    const candidates = value ? variablesIn(value) : [first]
    // An argument may consist of several variables: the first one that was sent is named.
    const name = this.names.get(candidates.find((variable) => variable in variables) ?? candidates[0] ?? '')
    const alias = this.aliases.find(([given, original]) => original === name && Object.hasOwn(query, given))
    return name === undefined ? null : [alias?.[0] ?? name, ...rest].filter((part) => part !== '').join('.')
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

/** Replaces the path where it is a whole word, and not a part of another word. */
function withPathReplaced(text: string, from: string, to: string): string {
  const escaped = from.replaceAll(/[^\w]/g, '\\$&')
  return text.replaceAll(new RegExp(`(?<![\\w.$])${escaped}(?!\\.?\\w)`, 'g'), () => to || 'The body')
}
