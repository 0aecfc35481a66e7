import { textMax } from '../../../subgraphs/kernel/record/check-values.ts'
import { enumerationName, type Column } from '../../../subgraphs/kernel/record/column.ts'
import { columnOf } from '../../../subgraphs/kernel/record/definition.ts'
import type { RestFilter } from '../../../subgraphs/kernel/record/rest-area.ts'
import type { RecordApi } from './record-api.ts'
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
      throw new Error(`No parameter filters by ${column.name}.`)
  }
}

const comparisons: Readonly<Partial<Record<RestFilter['operator'], string>>> = {
  gt: 'more than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
}
const times: typeof comparisons = {
  gt: 'later than this',
  gte: 'at this time or later',
  lt: 'earlier than this',
  lte: 'at this time or earlier',
}

function filterDescription({ column, operator }: RestFilter, kind: Column['kind'], { many }: RecordApi): string | null {
  if (operator === 'eq') return null
  if (operator === 'in') {
    const what = column === 'id' ? `Only these ${many}` : `One of these values of \`${column}\``
    return `${what}, comma separated; at most 100.${column === 'id' ? ' Ids that are not found are left out.' : ''}`
  }
  if (kind !== 'timestamp') return `\`${column}\` is ${comparisons[operator]} this.`
  if (column === 'createdAt') return `Created ${times[operator]}.`
  if (column === 'updatedAt') return `Changed ${times[operator]}${operator === 'gt' ? '; for synchronization' : ''}.`
  return `\`${column}\` is ${times[operator]}.`
}

function filterParameter(filter: RestFilter, api: RecordApi): Json {
  const column = columnOf(api.definition, filter.column)
  const description = filterDescription(filter, column.kind, api)
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

/** Longer text is described, not sorted by. */
const sortedTextMax = 2_048
const neverSorted = new Set(['organizationId', 'version', 'createdById', 'updatedById', 'deletedAt'])

const sortNames = ({ columns, area }: RecordApi): string[] =>
  columns
    .filter(({ name, kind, max = textMax }) => {
      if (kind === 'json' || kind === 'textList' || (kind === 'text' && max > sortedTextMax)) return false
      return !neverSorted.has(name) && !area.unsorted.includes(name)
    })
    .map(({ name }) => name)

/** The parameters of a list: its filters, then what all lists have. */
export function listParameters(api: RecordApi): Json[] {
  const sortBy = {
    name: 'sortBy',
    in: 'query',
    schema: { type: 'string', default: 'createdAt', enum: sortNames(api) },
  }
  return [
    ...api.area.filters.map((filter) => filterParameter(filter, api)),
    ...(api.has('customFields') ? [parameter('customFields')] : []),
    ...(api.definition.searchable.length > 0 ? [parameter('search')] : []),
    sortBy,
    ...['sortOrder', 'page', 'limit', 'cursor', 'includeTotal'].map(parameter),
    ...(api.has('customFields') ? [parameter('withCustomFields')] : []),
    parameter('prefer'),
  ]
}
