import { getNamedType, isEnumType, isInputObjectType, isLeafType, type GraphQLInputObjectType } from 'graphql'
import { leavesOf, listFields, post, type ListField } from './graph.ts'
import type { Probe } from './probe.ts'
import { operandsOf, recordTypes, type Samples } from './samples.ts'

type Filter = Readonly<Record<string, unknown>>

const limit = 20
const combining = new Set(['and', 'or', 'not'])

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
    .map(({ filter }) => Object.keys(filter?.getFields() ?? {}))
    .filter((names) => names.includes('customFields'))
    .reduce((all, names) => all.filter((name) => names.includes(name))),
)

/** One column of each kind that the filter has, and every JSON column. */
function conditionsOf(filter: GraphQLInputObjectType): Condition[] {
  const found = new Map<string, Condition>()
  const fields = Object.values(filter.getFields()).filter(({ name }) => !combining.has(name))
  const [own, others] = [false, true].map((isInherited) =>
    fields.filter(({ name }) => inherited.has(name) === isInherited),
  )
  for (const { name: field, type } of [...own!, ...others!]) {
    const named = getNamedType(type)
    if (isLeafType(named)) found.set(field, { field, kind: 'JSON', operators: [''] })
    if (!isInputObjectType(named) || isRecordFilter(named) || isListFilter(named)) continue
    const eq = named.getFields()['eq']
    const kind = eq && isEnumType(getNamedType(eq.type)) ? 'enumeration' : named.name.replace(/Filter$/, '')
    if (!found.has(kind)) found.set(kind, { field, kind, operators: Object.keys(named.getFields()) })
  }
  return [...found.values()]
}

/** The filters of a list: every operator of every kind of column, combinations, and relations. */
export async function filterProbes(list: ListField, samples: Samples): Promise<Probe[]> {
  const { filter: type, shape } = list
  if (!type || !shape) return []
  const conditions = conditionsOf(type)
  const probes: Probe[] = []
  for (const condition of conditions) {
    const isEnumerated = condition.kind === 'enumeration' || condition.kind === 'Boolean'
    for (const operator of condition.operators) {
      const filters = await filtersOf(shape, condition, operator, samples)
      probes.push(...filtered(list, `${condition.field} ${operator}`, filters, isEnumerated))
    }
  }
  const enumeration = conditions.find(({ kind }) => kind === 'enumeration')
  const text = conditions.find(({ kind }) => kind === 'String')
  if (enumeration && text) {
    const texts = await filtersOf(shape, text, 'eq', samples)
    const values = await filtersOf(shape, enumeration, 'eq', samples)
    const pairs = values.length > 0 ? texts.map((one, index) => [values[index % values.length]!, one]) : []
    const combined = {
      and: pairs.map((and) => ({ and })),
      or: pairs.map((or) => ({ or })),
      not: texts.map((not) => ({ not })),
    }
    for (const [name, filters] of Object.entries(combined)) probes.push(...filtered(list, name, filters, false))
  }
  for (const { name, type: related } of Object.values(type.getFields()))
    probes.push(...(await relationProbes(list, name, getNamedType(related), samples)))
  return probes
}

/** `parent: {…}` and `children: {some: {…}}`, with a condition on an enumeration and on a text. */
async function relationProbes(list: ListField, name: string, type: unknown, samples: Samples): Promise<Probe[]> {
  if (combining.has(name) || !isInputObjectType(type)) return []
  const isMany = isListFilter(type)
  if (!isMany && !isRecordFilter(type)) return []
  const inner = isMany ? (getNamedType(type.getFields()['some']!.type) as GraphQLInputObjectType) : type
  const shape = recordTypes.get(inner.name.replace(/Filter$/, ''))
  if (!shape) return []
  const probes: Probe[] = []
  for (const condition of conditionsOf(inner)) {
    if (condition.kind !== 'enumeration' && condition.kind !== 'String') continue
    const operator = condition.kind === 'String' ? 'contains' : 'eq'
    const filters = await filtersOf(shape, condition, operator, samples)
    for (const quantity of isMany ? Object.keys(type.getFields()) : [null]) {
      const nested = filters.map((filter) => ({ [name]: quantity ? { [quantity]: filter } : filter }))
      const path = [name, quantity, condition.field, operator].filter((part) => part !== null)
      probes.push(...filtered(list, path.join(' '), nested, false))
    }
  }
  return probes
}

async function filtersOf(
  shape: NonNullable<ListField['shape']>,
  { field }: Condition,
  operator: string,
  samples: Samples,
): Promise<Filter[]> {
  const column = shape.columns.byName.get(field)
  if (!column) return []
  const operands = operandsOf(operator, await samples.of(shape, column))
  return operands.map((operand) => ({ [field]: operator ? { [operator]: operand } : operand }))
}

function filtered(
  { name: root, node, filter }: ListField,
  name: string,
  filters: Filter[],
  isTotalFree: boolean,
): Probe[] {
  return [false, true].map((hasTotal) => {
    const query = `query Filtered($filter: ${filter!.name}) { result: ${root}(filter: $filter, limit: ${limit}) {
      data { ${leavesOf(node)} } hasMore nextCursor ${hasTotal ? 'total' : ''} } }`
    const requests = filters.map((one) => post(query, { filter: one }))
    return { area: root, name: name.trim(), hasTotal, isTotalFree, requests }
  })
}
