import { enumerationName, type Column } from '../../../subgraphs/kernel/record/column.ts'
import { textMax } from '../../../subgraphs/kernel/record/check-values.ts'
import { columnOf } from '../../../subgraphs/kernel/record/definition.ts'
import { isRequired, writableColumns } from '../../../subgraphs/kernel/record/inputs.ts'
import { bulkMax } from '../../../subgraphs/kernel/record/records-of.ts'
import type { RestFilter } from '../../../subgraphs/kernel/record/rest-area.ts'
import type { RecordApi, StandardOperation } from './record-api.ts'
import { own, shared, type Json } from './schemas.ts'

const content = (schema: Json): Json => ({ content: { 'application/json': { schema } } })
const parameter = (name: string): Json => shared('parameters', name)
const header = (name: string): Json => ({ [name]: shared('headers', name) })

const problems: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  402: 'EntitlementRequired',
  404: 'NotFound',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
}

interface Described {
  readonly operation: StandardOperation
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Json[]
  /** The schema of the body. */
  readonly body?: string
  readonly success: readonly [status: number, response: Json]
  readonly refusals?: readonly number[]
}

function operationObject(api: RecordApi, described: Described): Json {
  const { operation, summary, description, parameters = [], body, success, refusals = [] } = described
  const refused = [...(api.definition.entitlement ? [402] : []), ...refusals].toSorted((a, b) => a - b)
  return {
    operationId: api.prefix + operation,
    summary,
    description,
    'x-api-key-scopes': api.scopesOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, ...content(own(body)) } }),
    responses: {
      [success[0]]: success[1],
      ...Object.fromEntries(refused.map((status) => [status, shared('responses', problems[status]!)])),
    },
  }
}

/** `name`, `sku` and `listPrice`. */
function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  return quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}` : quoted.join('')
}

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

function list(api: RecordApi): Json {
  const { area, type, many, inSight, definition } = api
  const sortBy = {
    name: 'sortBy',
    in: 'query',
    schema: { type: 'string', default: 'createdAt', enum: sortNames(api) },
  }
  return operationObject(api, {
    operation: 'List',
    summary: `List ${many}`,
    description: `Live ${many}${inSight}, newest first unless sorted otherwise. Filters are joined by and.`,
    parameters: [
      ...area.filters.map((filter) => filterParameter(filter, api)),
      ...(api.has('customFields') ? [parameter('customFields')] : []),
      ...(definition.searchable.length > 0 ? [parameter('search')] : []),
      sortBy,
      ...['sortOrder', 'page', 'limit', 'cursor', 'includeTotal'].map(parameter),
      ...(api.has('customFields') ? [parameter('withCustomFields')] : []),
      parameter('prefer'),
    ],
    success: [200, { description: `A page of ${many}.`, ...content(own(`${type}Page`)) }],
    refusals: [400],
  })
}

function create(api: RecordApi): Json {
  const { type, one, aOne, definition } = api
  const required = writableColumns(definition.entity, 'CREATE').filter(isRequired)
  const names = listed(required.map(({ name }) => name))
  const needed = required.length === 1 ? `Only ${names} is required.` : names && `${names} are required.`
  const owned = definition.visibleBy.includes('ownerId') ? `Without \`ownerId\` the caller owns the ${one}.` : ''
  return operationObject(api, {
    operation: 'Create',
    summary: `Create ${aOne}`,
    description: [needed, owned].filter(Boolean).join(' '),
    parameters: [parameter('idempotencyKey')],
    body: `${type}CreateInput`,
    success: [
      201,
      {
        description: `The ${one}.`,
        headers: {
          ...(api.has('version') && header('ETag')),
          ...header('Location'),
          ...header('Idempotent-Replayed'),
        },
        ...content(own(type)),
      },
    ],
    refusals: [400, 409, 413, 415],
  })
}

const stats = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'Stats',
    summary: `Count ${api.many}`,
    description: `Figures over the live ${api.many}${api.inSight}.`,
    success: [200, { description: 'The figures.', ...content(own(`${api.type}Stats`)) }],
  })

const listDeleted = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'ListDeleted',
    summary: `List deleted ${api.many}`,
    description: `An array of deleted ${api.many}${api.inSight}, last deleted first.`,
    parameters: ['page', 'deletedLimit', 'prefer'].map(parameter),
    success: [200, { description: `Deleted ${api.many}.`, ...content({ type: 'array', items: own(api.type) }) }],
    refusals: [400],
  })

const read = (api: RecordApi): Json =>
  operationObject(api, {
    operation: '',
    summary: `Read ${api.aOne}`,
    description: `A deleted ${api.one} answers 404.`,
    success: [
      200,
      {
        description: `The ${api.one}.`,
        ...(api.has('version') && { headers: header('ETag') }),
        ...content(own(api.type)),
      },
    ],
    refusals: [404],
  })

const ifMatch = (api: RecordApi, operation: StandardOperation): Json[] =>
  api.takesVersion(operation) ? [parameter('ifMatch')] : []

const changed = (api: RecordApi): readonly [number, Json] => [
  200,
  {
    description: `The ${api.one} as changed.`,
    headers: { ...(api.has('version') && header('ETag')), ...header('Idempotent-Replayed') },
    ...content(own(api.type)),
  },
]

function update(api: RecordApi): Json {
  const clearing = ['Changes the named fields only; `null` clears a field, lists']
  if (api.has('metadata')) clearing.push(' and `metadata`')
  clearing.push(' are replaced as a whole')
  if (api.has('customFields')) clearing.push(', `customFields` change key by key (`null` removes one)')
  return operationObject(api, {
    operation: 'Update',
    summary: `Change ${api.aOne}`,
    description: `${clearing.join('')}.`,
    parameters: [...ifMatch(api, 'Update'), parameter('idempotencyKey')],
    body: `${api.type}UpdateInput`,
    success: changed(api),
    refusals: [400, 404, 409, 413, 415],
  })
}

const remove = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'Delete',
    summary: `Delete ${api.aOne}`,
    description: `The ${api.one} disappears from lists, counts and searches${api.offers('Restore') ? ' and can be restored' : ''}.`,
    parameters: ifMatch(api, 'Delete'),
    success: [204, { description: 'Deleted.' }],
    refusals: [400, 404, 409],
  })

const restore = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'Restore',
    summary: `Restore a deleted ${api.one}`,
    description: `Brings the ${api.one} back as it was; a live ${api.one} answers 409 \`INVALID_STATE\`.`,
    parameters: [...ifMatch(api, 'Restore'), parameter('idempotencyKey')],
    success: changed(api),
    refusals: [400, 404, 409],
  })

const bulkSuccess: readonly [number, Json] = [
  200,
  {
    description: 'What became of each item.',
    headers: header('Idempotent-Replayed'),
    ...content(shared('schemas', 'BulkResult')),
  },
]

const bulk = (api: RecordApi, operation: 'BulkUpdate' | 'BulkDelete', summary: string, description: string): Json =>
  operationObject(api, {
    operation,
    summary,
    description,
    parameters: [parameter('idempotencyKey')],
    body: `${api.type}${operation}Input`,
    success: bulkSuccess,
    refusals: [400, 409, 413, 415],
  })

const bulkUpdate = (api: RecordApi): Json =>
  bulk(
    api,
    'BulkUpdate',
    `Change many ${api.many}`,
    `Changes 1 to ${bulkMax} ${api.many}, each by its own \`id\` and, if given, \`expectedVersion\`. Every item succeeds or fails by
itself, and \`results\` has one entry per item in the order sent, so the answer is 200 even when items failed. A body
that does not fit this description is refused as a whole with 400, and then nothing changed.
`,
  )

const bulkDelete = (api: RecordApi): Json =>
  bulk(
    api,
    'BulkDelete',
    `Delete many ${api.many}`,
    `Deletes 1 to ${bulkMax} ${api.many}. Every id succeeds or fails by itself, and \`results\` has one entry per id in the order
sent, so the answer is 200 even when some failed.
`,
  )

/** Where each standard operation is served, below the path of the area. */
const places: readonly (readonly [path: string, method: string, StandardOperation, (api: RecordApi) => Json])[] = [
  ['', 'get', 'List', list],
  ['', 'post', 'Create', create],
  ['/stats', 'get', 'Stats', stats],
  ['/deleted', 'get', 'ListDeleted', listDeleted],
  ['/bulk/update', 'post', 'BulkUpdate', bulkUpdate],
  ['/bulk/delete', 'post', 'BulkDelete', bulkDelete],
  ['/{id}', 'get', '', read],
  ['/{id}', 'patch', 'Update', update],
  ['/{id}', 'delete', 'Delete', remove],
  ['/{id}/restore', 'post', 'Restore', restore],
]

/** The paths of the standard operations that the graph offers. */
export function standardPaths(api: RecordApi): Json {
  const paths: Record<string, Json> = {}
  for (const [below, method, operation, describe] of places) {
    if (!api.offers(operation)) continue
    const path = `/v1/${api.area.path}${below}`
    const onRecord = below.startsWith('/{id}') ? { parameters: [parameter('id')] } : {}
    paths[path] = { ...onRecord, ...paths[path], [method]: describe(api) }
  }
  return paths
}
