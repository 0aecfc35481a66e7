import {
  Kind,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
  type DefinitionNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'

export const selectionMax = 4000
const tokensMax = 1000

/** The queries of a selection, by the GraphQL type of the record: each reads one record by `$id` as `selection`. */
export type SelectionQueries = ReadonlyMap<string, string>

const problem = (code: string, message: string): FieldProblem => ({ path: 'selection', code, message })

const isFragment = (node: DefinitionNode): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION

function spreadsIn(selectionSet: SelectionSetNode): string[] {
  const names: string[] = []
  visit(selectionSet, { FragmentSpread: ({ name }) => void names.push(name.value) })
  return names
}

/** The names of the fragments that this one uses, itself included. */
function usedBy(name: string, spreads: ReadonlyMap<string, readonly string[]>, used = new Set<string>()): Set<string> {
  if (!used.has(name)) {
    used.add(name)
    for (const other of spreads.get(name) ?? []) usedBy(other, spreads, used)
  }
  return used
}

const rootFieldOf = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1)

/**
 * Reads a selection: a GraphQL document of fragments. A fragment that no other one uses is on the type of a record, and selects what is
 * delivered with events of such records; the others are parts of it. Throws when it is something else. The graph checks the fields.
 */
export function parseSelection(text: string): SelectionQueries {
  let definitions: readonly DefinitionNode[]
  try {
    ;({ definitions } = parse(text, { maxTokens: tokensMax, noLocation: true }))
  } catch (error) {
    throw invalid(problem('NOT_GRAPHQL', `selection must be GraphQL fragments: ${(error as Error).message}`))
  }
  const fragments = definitions.filter(isFragment)
  if (fragments.length < definitions.length)
    throw invalid(problem('NOT_A_FRAGMENT', 'selection must consist of fragments: fragment Name on Type { … }.'))
  const byName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
  if (byName.size < fragments.length)
    throw invalid(problem('NOT_UNIQUE', 'The fragments of selection must have different names.'))
  const spreads = new Map(fragments.map(({ name, selectionSet }) => [name.value, spreadsIn(selectionSet)]))
  const used = new Set([...spreads.values()].flat())
  const roots = fragments.filter(({ name }) => !used.has(name.value))
  if (roots.length === 0)
    throw invalid(problem('NO_FRAGMENT', 'selection must have a fragment that no other fragment uses.'))
  const queries = new Map<string, string>()
  for (const { name, typeCondition } of roots) {
    const type = typeCondition.name.value
    if (queries.has(type))
      throw invalid(problem('NOT_UNIQUE', `selection must have one fragment on ${type} that no other fragment uses.`))
    const parts = [...usedBy(name.value, spreads)].flatMap((part) => byName.get(part) ?? [])
    const text = parts.map((part) => print(part)).join('\n')
    const query = `query WebhookSelection($id: ID!) { selection: ${rootFieldOf(type)}(id: $id) { ...${name.value} } }`
    queries.set(type, stripIgnoredCharacters(`${query}\n${text}`))
  }
  return queries
}

const parsed = new LRUCache<string, SelectionQueries>({ max: 1000, maxSize: 8_000_000, sizeCalculation: sizeOf })

function sizeOf(queries: SelectionQueries, text: string): number {
  return [...queries.values()].reduce((size, query) => size + 2 * query.length, 2 * text.length + 100)
}

/** The queries of a stored selection, which was checked when it was saved. */
export function selectionQueries(text: string): SelectionQueries {
  let queries = parsed.get(text)
  if (!queries) parsed.set(text, (queries = parseSelection(text)))
  return queries
}
