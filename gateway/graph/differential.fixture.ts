import { print, visit, Kind, type DocumentNode, type FieldNode, type GraphQLFormattedError } from 'graphql'
import type { OperationContext } from '../../subgraphs/kernel/context.ts'
import type { SubgraphEndpoint } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { asConditional, withoutConditions } from './without-conditions.fixture.ts'
import { defectMessage } from '../../subgraphs/kernel/errors.ts'
import type { GeneratedQuery } from './generate-queries.fixture.ts'
import type { Graph, GraphResult } from './graph.ts'
import { stockGateway, type StockAnswer, type StockGateway } from './stock-gateway.fixture.ts'

interface ComparableError {
  readonly message: string
  readonly path: readonly (string | number)[]
  readonly code: unknown
}

interface Comparable {
  readonly data: unknown
  readonly errors: readonly ComparableError[]
  readonly completion: readonly ComparableError[]
}

const comparableError = ({ message, path, extensions }: GraphQLFormattedError): ComparableError => {
  const code = extensions?.['code']
  // The stock gateway sends the messages of defects with its own code; Graph hides them.
  if (code === 'DOWNSTREAM_SERVICE_ERROR') return { message: defectMessage, path: path ?? [], code: 'INTERNAL' }
  return { message, path: path ?? [], code }
}

function comparable(result: GraphResult | StockAnswer): Comparable {
  const { valueCompletion = [] } = (result.extensions ?? {}) as { valueCompletion?: readonly GraphQLFormattedError[] }
  return {
    data: JSON.parse(JSON.stringify(result.data ?? null)) as unknown,
    errors: sorted((result.errors ?? []).map(comparableError)),
    completion: sorted(valueCompletion.map(comparableError)),
  }
}

const sorted = <T>(items: readonly T[]): T[] =>
  items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))

/** The path of the null that an error explains, or of the parent to which the null was propagated. */
function nullPathOf(data: unknown, path: readonly (string | number)[]): readonly (string | number)[] | 'not null' {
  let value = data
  for (const [index, part] of path.entries()) {
    if (value === null || value === undefined) return path.slice(0, index)
    value = (value as Record<string | number, unknown>)[part]
  }
  return value === null || value === undefined ? path : 'not null'
}

const withoutIndices = (path: readonly (string | number)[]): string[] =>
  path.map((part) => (typeof part === 'number' ? '@' : part))

const typenameNode: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }

/**
 * The stock gateway loses fields of nested fragments if no type name was fetched, so every selection gets `__typename`. It ignores
 * conditions on literals, loses fields whose whole selection is skipped, and mixes up the conditions of required fields, so it
 * gets the operation with conditions evaluated.
 */
const forStock = (document: DocumentNode): string =>
  print(
    visit(document, {
      SelectionSet: (node, _key, parent) =>
        parent && 'kind' in parent && parent.kind === Kind.OPERATION_DEFINITION
          ? undefined
          : { ...node, selections: [typenameNode, ...node.selections] },
    }),
  )

const withoutTypenames = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data), (key, value: unknown) => (key === '__typename' ? undefined : value))

export interface Differential {
  readonly query: GeneratedQuery
  readonly route: 'single' | 'plan'
  /** The differences, each with both values; empty when the three answers agree. */
  readonly differences: readonly { readonly what: string; readonly actual: unknown; readonly expected: unknown }[]
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const withSortedKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, part]) => [key, withSortedKeys(part)]),
  )
}

/**
 * The executor must answer as the stock gateway does. The stock gateway may give an error the index of a sibling (it numbers
 * the entities that it sent, not those that it found), so errors are compared without indices; it does not keep the order of merged
 * fields; and for siblings of other types it fetches fields that only one type selects, especially if type names are selected.
 */
function againstStock(executor: Comparable, stock: Comparable): Differential['differences'] {
  const patterns = ({ errors }: Comparable, depth?: number): string[] =>
    [
      ...new Set(errors.map((error) => JSON.stringify({ ...error, path: withoutIndices(error.path).slice(0, depth) }))),
    ].sort()
  // If several errors nullify one object, a subgraph reports the first, and plans order fields differently.
  const depth = isSame(patterns(executor), patterns(stock)) ? undefined : -1
  const [ours, theirs] = [patterns(executor, depth), patterns(stock, depth)]
  // If several errors nullify the whole answer, a subgraph reports those that occurred before it answered, which may be others each time.
  const isNothing = executor.data === null && stock.data === null
  const isComparable = !isNothing || ours.length === 0 || theirs.length === 0
  const pairs = [
    {
      what: 'data',
      actual: withSortedKeys(withoutTypenames(executor.data)),
      expected: withSortedKeys(asConditional(withoutTypenames(stock.data))),
    },
    {
      what: 'errors without indices',
      actual: isComparable ? ours : [],
      expected: isComparable ? theirs : [],
    },
    {
      what: 'paths of errors',
      actual: executor.errors.filter(({ path }) => nullPathOf(executor.data, path) === 'not null'),
      expected: [],
    },
    { what: 'completion', actual: executor.completion, expected: stock.completion },
  ]
  return pairs.filter(({ actual, expected }) => !isSame(actual, expected))
}

/**
 * The single-fetch route must answer as the executor does, including the order. If several errors nullify the same object, the
 * reported one depends on the order of fields, so only the path of the null is compared.
 */
function againstExecutor(single: Comparable, executor: Comparable): Differential['differences'] {
  const reported = ({ data, errors }: Comparable): unknown => {
    const all = errors.map(({ message, path, code }) => {
      const place = nullPathOf(data, path)
      return place.length === path.length ? { place, message, code } : { place }
    })
    const nulls = new Set<string>()
    const isFirst = (place: unknown): boolean => nulls.size < nulls.add(JSON.stringify(place)).size
    return sorted(all.filter((error) => 'code' in error || isFirst(error.place)))
  }
  const pairs = [
    { what: 'data of the single fetch', actual: single.data, expected: executor.data },
    { what: 'errors of the single fetch', actual: reported(single), expected: reported(executor) },
  ]
  return pairs.filter(({ actual, expected }) => !isSame(actual, expected))
}

/** Compares one query after the other. `graph` has the single-fetch route; `executor` does not have it. */
export class Comparer {
  private readonly graph: Graph
  private readonly executor: Graph
  private readonly stock: StockGateway
  private readonly context: OperationContext

  private constructor(graph: Graph, executor: Graph, stock: StockGateway, context: OperationContext) {
    this.graph = graph
    this.executor = executor
    this.stock = stock
    this.context = context
  }

  /** `create` makes a graph on `supergraphSdl` and endpoints that answer as the given ones do. */
  static async create(
    supergraphSdl: string,
    endpoints: readonly SubgraphEndpoint[],
    create: (singleFetch: boolean) => Graph,
    context: OperationContext,
  ): Promise<Comparer> {
    return new Comparer(create(true), create(false), await stockGateway(supergraphSdl, endpoints, context), context)
  }

  async compare(query: GeneratedQuery): Promise<Differential> {
    const { document, variables } = query
    const prepared = this.graph.prepare(document)
    const single = comparable(await this.graph.execute(prepared, variables, this.context))
    const plan = comparable(await this.executor.execute(this.executor.prepare(document), variables, this.context))
    const unconditional = withoutConditions(query)
    const expected = unconditional
      ? await this.stock(forStock(unconditional), variables)
      : { data: {}, errors: [], extensions: undefined }
    const differences = [...againstStock(plan, comparable(expected)), ...againstExecutor(single, plan)]
    return { query, route: prepared.executionFor(variables).route.kind, differences }
  }
}
