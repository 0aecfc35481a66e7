import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  getNullableType,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
} from 'graphql'
import type { HttpRequest } from '../scenarios.ts'
import { hasRootField, listFields, type ListField } from './graph.ts'
import { depthsOf, pages, type Probe } from './probe.ts'
import { operandsOf, recordTypes, type Samples } from './samples.ts'

type Filter = Readonly<Record<string, unknown>>

const farPage = 977
const limit = 20
const combining = new Set(['and', 'or', 'not'])

const post = (query: string, variables: Filter): HttpRequest => ({
  method: 'POST',
  path: '/v1/graphql',
  body: JSON.stringify({ query, variables }),
})

const leavesOf = (node: GraphQLObjectType): string =>
  Object.values(node.getFields())
    .filter(({ type, args }) => args.length === 0 && isLeafType(getNamedType(type)))
    .map(({ name }) => name)
    .join(' ')

/** One filterable column, with the operators of its kind. An empty operator: the JSON value is itself the condition. */
interface Condition {
  readonly field: string
  readonly kind: string
  readonly operators: readonly string[]
}

const isRecordFilter = (type: GraphQLInputObjectType): boolean => 'and' in type.getFields()
/** `{some, every, none}` over related records. */
const isListFilter = (type: GraphQLInputObjectType): boolean => 'some' in type.getFields()

/** Columns that all records have; columns of the record itself are measured in preference to them. */
const inherited = new Set(
  listFields
    .map(({ filter }) => new Set(Object.keys(filter?.getFields() ?? {})))
    .filter((names) => names.has('customFields'))
    .reduce((all, names) => new Set([...all].filter((name) => names.has(name)))),
)

/** One column of each kind that the filter has, and every JSON column. */
function conditionsOf(filter: GraphQLInputObjectType): Condition[] {
  const found = new Map<string, Condition>()
  const fields = Object.values(filter.getFields()).filter(({ name }) => !combining.has(name))
  const ownFirst = [
    ...fields.filter(({ name }) => !inherited.has(name)),
    ...fields.filter(({ name }) => inherited.has(name)),
  ]
  for (const { name: field, type } of ownFirst) {
    const named = getNamedType(type)
    if (isLeafType(named)) found.set(field, { field, kind: 'JSON', operators: [''] })
    if (!isInputObjectType(named) || isRecordFilter(named) || isListFilter(named)) continue
    const eq = named.getFields()['eq']
    const kind = eq && isEnumType(getNamedType(eq.type)) ? 'enumeration' : named.name.replace(/Filter$/, '')
    if (!found.has(kind)) found.set(kind, { field, kind, operators: Object.keys(named.getFields()) })
  }
  return [...found.values()]
}

const isEnumerated = ({ kind }: Condition): boolean => kind === 'enumeration' || kind === 'Boolean'

/** Filters of every operator of every kind of column, relations, connections, and fields of other records, of every list. */
export async function graphqlProbes(samples: Samples, totalOf: (list: string) => Promise<number>): Promise<Probe[]> {
  const probes: Probe[] = []
  for (const list of listFields) {
    const probesOfList = new ListProbes(list, samples)
    if (list.filter) await probesOfList.addFilters(list.filter)
    probesOfList.addRelated()
    probesOfList.addConnection(await totalOf(list.name))
    probes.push(...probesOfList.probes)
  }
  return probes
}

class ListProbes {
  readonly probes: Probe[] = []

  constructor(
    private readonly list: ListField,
    private readonly samples: Samples,
  ) {}

  async addFilters(type: GraphQLInputObjectType): Promise<void> {
    const conditions = conditionsOf(type)
    for (const condition of conditions) {
      for (const operator of condition.operators)
        this.#addFilter(
          `${condition.field} ${operator}`,
          await this.#filtersOf(this.list, condition, operator),
          isEnumerated(condition),
        )
    }
    const [first, second] = await Promise.all(
      ['enumeration', 'String'].map(async (kind) => {
        const condition = conditions.find((one) => one.kind === kind)
        return condition ? this.#filtersOf(this.list, condition, 'eq') : []
      }),
    )
    if (first!.length > 0 && second!.length > 0) {
      const pairs = second!.map((filter, index) => [first![index % first!.length]!, filter])
      this.#addFilter(
        'and',
        pairs.map((and) => ({ and })),
        false,
      )
      this.#addFilter(
        'or',
        pairs.map((or) => ({ or })),
        false,
      )
      this.#addFilter(
        'not',
        pairs.map(([, not]) => ({ not })),
        false,
      )
    }
    for (const { name, type: related } of Object.values(type.getFields()))
      await this.#addRelation(name, getNamedType(related))
  }

  /** `parent: {…}` and `children: {some: {…}}`, with a condition on an enumeration and on a text. */
  async #addRelation(name: string, type: unknown): Promise<void> {
    if (combining.has(name) || !isInputObjectType(type)) return
    const isMany = isListFilter(type)
    if (!isMany && !isRecordFilter(type)) return
    const inner = isMany ? (getNamedType(type.getFields()['some']!.type) as GraphQLInputObjectType) : type
    const shape = recordTypes.get(inner.name.replace(/Filter$/, ''))
    if (!shape) return
    for (const condition of conditionsOf(inner)) {
      const operator = condition.kind === 'String' ? 'contains' : 'eq'
      if (condition.kind !== 'enumeration' && condition.kind !== 'String') continue
      const filters = await this.#filtersOf({ shape }, condition, operator)
      for (const quantity of isMany ? Object.keys(type.getFields()) : [''])
        this.#addFilter(
          `${name} ${quantity} ${condition.field} ${operator}`,
          filters.map((filter) => ({ [name]: quantity ? { [quantity]: filter } : filter })),
          false,
        )
    }
  }

  async #filtersOf({ shape }: Pick<ListField, 'shape'>, { field }: Condition, operator: string): Promise<Filter[]> {
    const column = shape.columns.byName.get(field)
    if (!column) return []
    const operands = operandsOf(operator, await this.samples.of(shape, column))
    return operands.map((operand) => ({ [field]: operator ? { [operator]: operand } : operand }))
  }

  #addFilter(name: string, filters: readonly Filter[], isTotalFree: boolean): void {
    const { name: root, node, filter } = this.list
    for (const hasTotal of [false, true]) {
      const query = `query Filtered($filter: ${filter!.name}) { result: ${root}(filter: $filter, limit: ${limit}) {
        data { ${leavesOf(node)} } hasMore nextCursor ${hasTotal ? 'total' : ''} } }`
      const requests = filters.map((one) => post(query, { filter: one }))
      this.probes.push({ area: root, name: name.trim(), hasTotal, isTotalFree, requests })
    }
  }

  /** Fields of the records that are other records, of this or another subgraph. */
  addRelated(): void {
    const { name: root, node } = this.list
    for (const { name, type, args } of Object.values(node.getFields())) {
      const related = getNamedType(type)
      if (!isObjectType(related) || isListType(getNullableType(type))) continue
      const isConnection = 'nodes' in related.getFields()
      const of = isConnection ? (getNamedType(related.getFields()['nodes']!.type) as GraphQLObjectType) : related
      if (!recordTypes.has(of.name) || (args.length > 0 && !isConnection)) continue
      const selections = isConnection
        ? [
            `${name}(first: 10) { nodes { ${leavesOf(of)} } pageInfo { hasNextPage } }`,
            `${name}(first: 10) { nodes { id } totalCount }`,
          ]
        : [`${name} { ${leavesOf(of)} }`]
      for (const [index, selection] of selections.entries()) {
        const query = `query Related($page: Int) { result: ${root}(page: $page, limit: 10) { data { id ${selection} } } }`
        this.probes.push({
          area: root,
          name: `{ ${name} }${index > 0 ? ' with totalCount' : ''}`,
          hasTotal: false,
          isTotalFree: true,
          requests: pages().map((page) => post(query, { page })),
        })
      }
    }
  }

  /** Walks through the connection from pages at several depths, and a page far behind. */
  addConnection(total: number): void {
    const { name: root, node } = this.list
    const page = `query Page($page: Int) { result: ${root}(page: $page, limit: ${limit}) { data { ${leavesOf(node)} } nextCursor } }`
    const far = pages(farPage).map((number) => post(page, { page: number }))
    const each = { area: root, hasTotal: false, isTotalFree: true }
    this.probes.push({ ...each, name: `pages ${farPage} to ${farPage + 23}`, requests: far })
    const connection = root.replace(/List$/, 'Connection')
    if (!hasRootField(connection)) return
    const after = `query After($after: String) { result: ${connection}(first: ${limit}, after: $after) {
      nodes { ${leavesOf(node)} } pageInfo { hasNextPage endCursor } } }`
    this.probes.push({
      ...each,
      name: 'connection, after',
      requests: depthsOf(total, limit).map((number) => post(page, { page: number })),
      follow: ({ nextCursor, pageInfo }) => {
        const cursor = nextCursor ?? (pageInfo as { endCursor?: string | null } | undefined)?.endCursor
        return cursor ? post(after, { after: cursor }) : null
      },
    })
  }
}
