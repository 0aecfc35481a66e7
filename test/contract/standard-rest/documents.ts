import { getNamedType, isObjectType, type GraphQLOutputType } from 'graphql'
import { enumerationName, type Column } from '../../../subgraphs/kernel/record/column.ts'
import { columnOf } from '../../../subgraphs/kernel/record/definition.ts'
import type { RestFilter } from '../../../subgraphs/kernel/record/rest-area.ts'
import { isNamedRecord } from '../../../subgraphs/kernel/record/named-records.ts'
import type { FilteredApi, RecordApi, StandardOperation } from './record-api.ts'
import { countedValues, statsFields } from './schemas.ts'

const graphTypes: Readonly<Partial<Record<Column['kind'], string>>> = {
  id: 'ID',
  text: 'String',
  integer: 'Int',
  number: 'Float',
  money: 'Decimal',
  boolean: 'Boolean',
  timestamp: 'DateTime',
}

/** Selects the whole record; `customFields` is separate, because lists can omit it. */
const record = (api: RecordApi, customFields = 'customFields'): string =>
  `...${api.prefix}Fields ${api.has('customFields') ? customFields : ''}`

/** The argument that names what the records are of, if the path does. */
const withinOf = ({ area: { within } }: RecordApi): string[] => (within ? [`${within.argument}: String!`] : [])

/** The argument as it is passed on. */
const passedWithin = ({ area: { within } }: RecordApi): string =>
  within ? `${within.argument}: $${within.argument}` : ''

const documentOf = (
  api: RecordApi,
  operation: StandardOperation,
  own: readonly string[],
  selection: string,
): string => {
  const given = [...withinOf(api), ...own]
  const name = api.prefix + operation
  const kind = name in (api.schema.getQueryType()?.getFields() ?? {}) ? 'query' : 'mutation'
  const variables = given.map((variable) => `$${variable}`).join(', ')
  const passed = given.map((variable) => variable.split(':')[0]!).map((variable) => `${variable}: $${variable}`)
  return `${kind} ${name}${variables && `(${variables})`} {
    result: ${name}${variables && `(${passed.join(', ')})`} ${selection && `{ ${selection} }`}
  }`
}

const version = (api: RecordApi, operation: StandardOperation): string[] =>
  api.takesVersion(operation) ? ['expectedVersion: Int'] : []

function variableOf({ name, column, operator }: RestFilter, { definition }: FilteredApi): string {
  const { kind, type } = columnOf(definition, column)
  const named = graphTypes[kind] ?? enumerationName(type)
  return `$${name}: ${operator === 'in' ? `[${named}!]` : named}`
}

/** The parameters of REST that filter a list, as variables and as the argument of the graph. */
export function filterOf(api: FilteredApi): { readonly variables: readonly string[]; readonly argument: string } {
  const { area } = api
  const hasCustomFields = api.has('customFields')
  const conditions = Object.entries(Object.groupBy(area.filters, ({ column }) => column)).map(
    ([column, filters = []]) =>
      `${column}: { ${filters.map(({ operator, name }) => `${operator}: $${name}`).join(', ')} }`,
  )
  const filter = [...conditions, ...(hasCustomFields ? ['customFields: $customFields'] : [])].join('\n')
  return {
    variables: [
      ...area.filters.map((one) => variableOf(one, api)),
      ...(hasCustomFields ? ['$customFields: JSON'] : []),
    ],
    argument: filter && `filter: {\n${filter}\n}`,
  }
}

function list(api: RecordApi): string {
  const { type, prefix, definition } = api
  const hasCustomFields = api.has('customFields')
  const isSearched = definition.searchable.length > 0
  const filter = filterOf(api)
  const variables = [
    ...withinOf(api).map((argument) => `$${argument}`),
    ...filter.variables,
    ...(isSearched ? ['$search: String'] : []),
    `$sortBy: ${type}OrderField`,
    ...(definition.isCustomizable ? ['$sortByCustomField: String'] : []),
    '$sortOrder: SortOrder',
    '$page: Int',
    '$limit: Int',
    '$cursor: String',
    ...(api.takesTime('List') ? ['$asOf: DateTime'] : []),
    '$includeTotal: Boolean! = true',
    ...(hasCustomFields ? ['$withCustomFields: Boolean! = true'] : []),
  ]
  return `query ${prefix}List(${variables.join('\n')}) {
    result: ${prefix}List(
      ${passedWithin(api)}
      ${filter.argument}
      ${isSearched ? 'search: $search' : ''}
      orderBy: [{ field: $sortBy, ${definition.isCustomizable ? 'customField: $sortByCustomField, ' : ''}direction: $sortOrder }]
      page: $page
      limit: $limit
      cursor: $cursor
      ${api.takesTime('List') ? 'asOf: $asOf' : ''}
    ) {
      data { ${record(api, 'customFields @include(if: $withCustomFields)')} }
      page
      limit
      total @include(if: $includeTotal)
      totalPages @include(if: $includeTotal)
      hasMore
      nextCursor
    }
  }`
}

function stats(api: RecordApi): string {
  const name = `${api.prefix}Stats`
  const filter = api.takesFilter('Stats') ? filterOf(api) : { variables: [], argument: '' }
  const selected = statsFields(api).map(({ name: field, type }) => {
    const values = countedValues(type)
    return values.length > 0 ? `${field} { ${values.join(' ')} }` : field
  })
  return `query ${name}${filter.variables.length > 0 ? `(${filter.variables.join('\n')})` : ''} {
    result: ${name}${filter.argument && `(${filter.argument})`} { ${selected.join(' ')} }
  }`
}

const figures = ['sum', 'average', 'min', 'max']
  .map(
    (name) => `${name} { field value time unconverted byCurrency @include(if: $byCurrency) { currency count value } }`,
  )
  .join('\n')

function aggregate(api: RecordApi): string {
  const { prefix, schema, area } = api
  const name = `${prefix}Aggregate`
  const filter = filterOf(api)
  const { [name]: root } = schema.getQueryType()!.getFields()
  const given = root!.args.filter((argument) => argument.name !== 'filter')
  const variables = [
    ...filter.variables,
    ...given.map((argument) =>
      argument.name === area.within?.argument
        ? `$${argument.name}: String!`
        : `$${argument.name}: ${String(argument.type)}`.replace(/!$/, ''),
    ),
    '$byCurrency: Boolean! = false',
  ]
  return `query ${name}(${variables.join('\n')}) {
    result: ${name}(
      ${filter.argument}
      ${given.map((argument) => `${argument.name}: $${argument.name}`).join('\n')}
    ) {
      groups { keys { field value label from until } count ${figures} }
      totalGroups
      total { count ${figures} }
      currency
    }
  }`
}

/** A column in a selection, with all parts of a structured value. */
export const selectionOf = ({ name, structure }: Column): string =>
  structure ? `${name} { ${structure.parts.map(selectionOf).join(' ')} }` : name

/** A field that is no column in a selection, with all fields of an object. */
function selectionOfDerived({ schema, type }: RecordApi, name: string): string {
  const record = schema.getType(type)
  const field = isObjectType(record) ? record.getFields()[name] : undefined
  if (!field) throw new Error(`The graph type ${type} must have the field ${name}.`)
  const select = (selected: string, fieldType: GraphQLOutputType): string => {
    const named = getNamedType(fieldType)
    if (!isObjectType(named)) return selected
    const fields = Object.values(named.getFields())
    const isRecord = isNamedRecord(fields)
    const inner = fields.flatMap(({ name: one, type: of }) => (isRecord(one) ? [] : select(one, of)))
    return `${selected} { ${inner.join(' ')} }`
  }
  return select(name, field.type)
}

const writers: Readonly<Record<StandardOperation, (api: RecordApi) => string>> = {
  '': (api) => documentOf(api, '', ['id: ID!', ...(api.takesTime('') ? ['asOf: DateTime'] : [])], record(api)),
  List: list,
  ListDeleted: (api) =>
    documentOf(api, 'ListDeleted', ['page: Int', 'limit: Int', 'deletedAfter: DateTime'], record(api)),
  Stats: stats,
  Aggregate: aggregate,
  Create: (api) => documentOf(api, 'Create', [`input: ${api.type}CreateInput!`], record(api)),
  Update: (api) =>
    documentOf(api, 'Update', ['id: ID!', `input: ${api.type}UpdateInput!`, ...version(api, 'Update')], record(api)),
  Replace: (api) =>
    documentOf(api, 'Replace', ['id: ID!', `input: ${api.type}ReplaceInput!`, ...version(api, 'Replace')], record(api)),
  Delete: (api) => documentOf(api, 'Delete', ['id: ID!', ...version(api, 'Delete')], ''),
  Restore: (api) => documentOf(api, 'Restore', ['id: ID!', ...version(api, 'Restore')], record(api)),
  BulkUpdate: (api) => documentOf(api, 'BulkUpdate', [`items: [${api.type}BulkUpdateItem!]!`], '...bulkFields'),
  ByKey: (api) => documentOf(api, 'ByKey', ['field: String!', 'value: String!'], record(api)),
  Upsert: (api) =>
    documentOf(
      api,
      'Upsert',
      [
        'field: String!',
        'value: String!',
        `input: ${api.type}UpsertInput!`,
        'expectedVersion: Int',
        'onlyCreate: Boolean',
      ],
      `isCreated record { ${record(api)} }`,
    ),
  BulkUpsert: (api) =>
    documentOf(api, 'BulkUpsert', ['field: String', `items: [${api.type}BulkUpsertItem!]!`], '...bulkUpsertFields'),
  BulkDelete: (api) => documentOf(api, 'BulkDelete', ['ids: [ID!]!'], '...bulkFields'),
}

const bulkFragment = `fragment bulkFields on BulkResult {
  requested
  succeeded
  failed
  results { index id status code message errors }
}`

const bulkUpsertFragment = `fragment bulkUpsertFields on BulkUpsertResult {
  requested
  succeeded
  created
  failed
  results { index key id status code message errors }
}`

/** The stored document of an aggregate, by file name. */
export const aggregateDocument = (api: RecordApi): [name: string, text: string] => [
  `${api.prefix}Aggregate`,
  aggregate(api),
]

/** The fragments of an area and the stored documents of the standard operations that the graph has, by file name. */
export function standardDocuments(
  api: RecordApi,
  operations: readonly StandardOperation[],
): [name: string, text: string][] {
  const columns = api.columns.filter(({ name }) => name !== 'customFields').map(selectionOf)
  const selected = [...columns, ...api.area.derivedFields.map((name) => selectionOfDerived(api, name))]
  const fragment = `fragment ${api.prefix}Fields on ${api.type} { ${selected.join(' ')} }`
  const related = api.relations.map((relation) => relation.fragment)
  const isBulk = operations.includes('BulkUpdate')
  const isBulkUpsert = operations.includes('BulkUpsert')
  const bulk = [...(isBulk ? [bulkFragment] : []), ...(isBulkUpsert ? [bulkUpsertFragment] : [])]
  return [
    ['fragments', [fragment, ...related, ...bulk].join('\n\n')],
    ...operations.map((operation): [string, string] => [api.prefix + operation, writers[operation](api)]),
  ]
}
