import { textMax } from '../../../subgraphs/kernel/record/check-values.ts'
import { enumerationName, type Column } from '../../../subgraphs/kernel/record/column.ts'
import { columnOf } from '../../../subgraphs/kernel/record/definition.ts'
import { sortableColumns } from '../../../subgraphs/kernel/record/order-input.ts'
import type { RestFilter } from '../../../subgraphs/kernel/record/rest-area.ts'
import type { FilteredApi, RecordApi } from './record-api.ts'
import { shapeParameters } from './relations.ts'
import { own, shared, type Json } from './schemas.ts'

export const parameter = (name: string): Json => shared('parameters', name)

function filterSchema(column: Column): Json {
  switch (column.kind) {
    case 'id':
      return { type: 'string', format: 'uuid' }
    case 'timestamp':
      return { type: 'string', format: 'date-time' }
    case 'text':
      return { type: 'string', maxLength: column.max ?? textMax }
    case 'enum':
      return own(enumerationName(column.type))
    case 'boolean':
    case 'integer':
      return { type: column.kind }
    case 'number':
    case 'money':
      return { type: 'number' }
    default:
      throw new Error(`A REST filter must have a scalar column, and ${column.name} is ${column.kind}.`)
  }
}

const comparisons: Readonly<Partial<Record<RestFilter['operator'], string>>> = {
  gt: 'greater than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
}
const times: typeof comparisons = {
  gt: 'after this time',
  gte: 'at or after this time',
  lt: 'before this time',
  lte: 'at or before this time',
}

const wholeDay: typeof comparisons = { gt: 'after', gte: 'from', lt: 'before', lte: 'until the end of' }

function filterDescription(
  { column, operator }: RestFilter,
  { kind, day, isEmail }: Column,
  { many }: FilteredApi,
): string | null {
  const regardless = isEmail ? ' Upper and lower case and surrounding spaces make no difference.' : ''
  if (operator === 'eq') return `Only ${many} with this value of \`${column}\`.${regardless}`
  if (operator === 'in') {
    const what =
      column === 'id' ? `Only ${many} with these ids` : `Only ${many} with one of these values of \`${column}\``
    return `${what}; at most 100, separated by commas.${column === 'id' ? ' Ids that are not found are ignored.' : regardless}`
  }
  if (kind !== 'timestamp') return `Only ${many} whose \`${column}\` is ${comparisons[operator]} this value.`
  if (column === 'createdAt') return `Only ${many} created ${times[operator]}.`
  if (column === 'updatedAt')
    return `Only ${many} changed ${times[operator]}${operator === 'gt' ? ', for example to synchronize' : ''}.`
  const time = `Only ${many} whose \`${column}\` is ${times[operator]}.`
  const date = `A date without a time means ${wholeDay[operator]} that day in the time zone of the organization.`
  return day ? `${time} ${date}` : time
}

function filterParameter(filter: RestFilter, api: FilteredApi): Json {
  const column = columnOf(api.definition, filter.column)
  const description = filterDescription(filter, column, api)
  const schema = filterSchema(column)
  return {
    name: filter.name,
    in: 'query',
    ...(description && { description }),
    ...(filter.operator === 'in'
      ? { style: 'form', explode: false, schema: { type: 'array', minItems: 1, maxItems: 100, items: schema } }
      : { schema }),
  }
}

/** The parameters that filter the records of a list, or of figures over it. */
export const filterParameters = (api: FilteredApi): Json[] => [
  ...api.area.filters.map((filter) => filterParameter(filter, api)),
  ...(api.has('customFields') ? [parameter('customFields')] : []),
]

/** The parameters that choose what a read answers of each record. */
export const shapeParametersOf = (api: RecordApi): Json[] =>
  Object.keys(shapeParameters(api)).map((name) => ({ $ref: `#/components/parameters/${name}` }))

/** The parameters of a list: its filters, then the parameters of every list. */
export function listParameters(api: RecordApi): Json[] {
  const sortBy = {
    name: 'sortBy',
    in: 'query',
    description: 'Field to sort by.',
    schema: {
      type: 'string',
      default: 'createdAt',
      enum: sortableColumns(api.definition.entity).map(({ name }) => name),
    },
  }
  return [
    ...filterParameters(api),
    ...(api.definition.searchable.length > 0 ? [parameter('search')] : []),
    sortBy,
    ...(api.definition.isCustomizable ? [parameter('sortByCustomField')] : []),
    ...['sortOrder', 'page', 'limit', 'cursor', 'includeTotal'].map(parameter),
    ...(api.takesTime('List') ? [parameter('listAsOf')] : []),
    ...(api.has('customFields') ? [parameter('withCustomFields')] : []),
    ...shapeParametersOf(api),
    parameter('prefer'),
  ]
}
