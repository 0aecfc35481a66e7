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

/** The most that one operation may hold. `cost` counts the objects that it could make us answer with. */
export interface GraphLimits {
  readonly tokens: number
  readonly comments: number
  /** Brackets of every kind that are open at once. */
  readonly nesting: number
  /** Characters of one name; answers repeat the names of aliases. */
  readonly nameLength: number
  readonly depth: number
  /** Levels below `__schema`, which `depth` leaves out. */
  readonly introspectionDepth: number
  readonly aliases: number
  readonly rootFields: number
  /** Fields in all, every fragment expanded wherever it is spread. */
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

/** What a node of an operation counts for, by itself. */
type Weight = (node: SelectionNode | FragmentDefinitionNode) => number

const ofField: Weight = ({ kind }) => (kind === Kind.FIELD ? 1 : 0)
const ofDirectives: Weight = ({ directives = [] }) => directives.length

/** Counts with every fragment expanded. A fragment is counted once, so nested spreads cost no more than one. */
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
    ofFragment.set(name, 0) // a cycle ends here; validation refuses it later
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

/** Those of the operation and its variables as well. */
const countDirectives: Counter = (context, operation) => {
  const { directives = [], variableDefinitions = [], selectionSet } = operation
  const ofVariables = variableDefinitions.flatMap((definition) => definition.directives ?? [])
  return directives.length + ofVariables.length + count(context, selectionSet, ofDirectives, true)
}

/** Refuses what is too large before the document is validated, because validation itself is costly on such documents. */
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
