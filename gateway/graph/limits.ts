import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import {
  Kind,
  validate,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql'
import { Refusal } from '../../subgraphs/kernel/errors.ts'

/** Limits of one operation. `cost` counts the objects that its answer may have. */
export interface GraphLimits {
  readonly tokens: number
  readonly comments: number
  /** Brackets of every kind that are open at the same time. */
  readonly nesting: number
  /** Characters of one name; answers repeat the aliases. */
  readonly nameLength: number
  readonly depth: number
  /** Levels below `__schema`, which `depth` does not count. */
  readonly introspectionDepth: number
  readonly aliases: number
  readonly rootFields: number
  /** All fields, with every fragment expanded at each spread. */
  readonly fields: number
  readonly directives: number
  readonly cost: number
}

export const defaultLimits: GraphLimits = {
  tokens: 2000,
  comments: 2000,
  nesting: 128,
  nameLength: 128,
  depth: 12,
  introspectionDepth: 20,
  aliases: 30,
  rootFields: 20,
  fields: 2000,
  directives: 30,
  cost: 10_000,
}

function refuseLimit(_context: unknown, error: GraphQLError): never {
  throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', error.message.replace(/^Syntax Error: /, ''))
}

/** The weight of one node of an operation, without its children. */
type Weight = (node: SelectionNode | FragmentDefinitionNode) => number

const ofField: Weight = ({ kind }) => (kind === Kind.FIELD ? 1 : 0)
const ofDirectives: Weight = ({ directives = [] }) => directives.length

/** Counts with every fragment expanded. The total of a fragment is computed once and reused, so nested spreads are cheap to count. */
function count(context: ValidationContext, selectionSet: SelectionSetNode, weight: Weight, nested: boolean): number {
  const ofFragment = new Map<string, number>()
  const countIn = (within: SelectionSetNode): number => {
    let total = 0
    for (const node of within.selections) {
      total += weight(node)
      if (node.kind === Kind.FIELD) total += nested && node.selectionSet ? countIn(node.selectionSet) : 0
      else if (node.kind === Kind.INLINE_FRAGMENT) total += countIn(node.selectionSet)
      else total += ofFragment.get(node.name.value) ?? countFragment(node.name.value)
    }
    return total
  }
  const countFragment = (name: string): number => {
    ofFragment.set(name, 0) // ends a cycle; validation refuses it later
    const fragment = context.getFragment(name)
    const total = fragment ? weight(fragment) + countIn(fragment.selectionSet) : 0
    ofFragment.set(name, total)
    return total
  }
  return countIn(selectionSet)
}

type Counter = (context: ValidationContext, operation: OperationDefinitionNode) => number

function maxRule(what: string, max: number, counter: Counter): ValidationRule {
  return (context) => ({
    OperationDefinition(operation) {
      const found = counter(context, operation)
      if (found <= max) return
      throw new Refusal('GRAPHQL_LIMIT_EXCEEDED', `${what} limit of ${max} exceeded, found ${found}.`)
    },
  })
}

const countRootFields: Counter = (context, { selectionSet }) => count(context, selectionSet, ofField, false)
const countFields: Counter = (context, { selectionSet }) => count(context, selectionSet, ofField, true)

/** Directives of the operation, its variables and its selections. */
const countDirectives: Counter = (context, operation) => {
  const { directives = [], variableDefinitions = [], selectionSet } = operation
  const ofVariables = variableDefinitions.flatMap((definition) => definition.directives ?? [])
  return directives.length + ofVariables.length + count(context, selectionSet, ofDirectives, true)
}

/** Refuses documents that are too large before they are validated, because validating them is expensive. */
export function refuseOversized(limits: GraphLimits, schema: GraphQLSchema, document: DocumentNode): void {
  const onReject = [refuseLimit]
  validate(schema, document, [
    maxRule('Root fields', limits.rootFields, countRootFields),
    maxRule('Fields', limits.fields, countFields),
    maxAliasesRule({ n: limits.aliases, allowList: [], onReject }),
    maxRule('Directives', limits.directives, countDirectives),
    maxDepthRule({ n: limits.depth, flattenFragments: true, onReject }),
  ])
}
