import { declaredValue } from '../../../subgraphs/kernel/record/declared-value.ts'
import { isRequired, writableColumns } from '../../../subgraphs/kernel/record/inputs.ts'
import { bulkMax } from '../../../subgraphs/kernel/record/records-of.ts'
import { scopesInContract } from '../../../subgraphs/kernel/scope-areas.ts'
import { memberScope } from '../../../subgraphs/kernel/scopes.ts'
import { bulkDeleteExample, bulkUpdateExample, bulkUpsertExample, createExample, updateExample } from './examples.ts'
import { aggregateParameters } from './aggregate-parameters.ts'
import { filterParameters, listParameters, parameter, shapeParametersOf } from './list-parameters.ts'
import { standardOperations, type RecordApi, type StandardOperation } from './record-api.ts'
import { own, shared, valueSchema, type Json } from './schemas.ts'

export const content = (schema: Json, example?: Json): Json => ({
  content: { 'application/json': { schema, ...(example && { example }) } },
})
export const header = (name: string): Json => ({ [name]: shared('headers', name) })

const sharedResponses: Readonly<Record<number, string>> = {
  304: 'NotModified',
  400: 'BadRequest',
  402: 'EntitlementRequired',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  502: 'ModelFailed',
}

/** The shared description of a refusal. */
export function responseOf(status: number): Json {
  const name = sharedResponses[status]
  if (!name) throw new Error(`There must be a shared response for ${status}.`)
  return shared('responses', name)
}

interface Described {
  readonly operation: StandardOperation
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Json[]
  /** Name of the body schema. */
  readonly body?: string
  readonly example?: Json
  readonly success: readonly [status: number, response: Json]
  /** The other success response of an operation that has two. */
  readonly otherSuccess?: readonly [status: number, response: Json]
  readonly refusals?: readonly number[]
}

/** Those that the rules of an organization can refuse. */
const checkedOperations: ReadonlySet<StandardOperation> = new Set(['Create', 'Update', 'Restore', 'Upsert'])

/** What a key needs; operations for sessions refuse every key. */
const accessOf = (scopes: readonly string[]): Json =>
  scopes.includes('SESSION')
    ? { security: [{ bearer: [] }], 'x-api-key-blocked': true, 'x-api-key-scopes': [] }
    : { 'x-api-key-scopes': scopesInContract(scopes.filter((scope) => scope !== memberScope)) }

function operationObject(api: RecordApi, described: Described): Json {
  const {
    operation,
    summary,
    description,
    parameters = [],
    body,
    example,
    success,
    otherSuccess,
    refusals = [],
  } = described
  const isChecked = api.definition.isExtensible && checkedOperations.has(operation)
  const refused = [
    ...(api.definition.entitlement ? [402] : []),
    ...refusals,
    ...(api.area.within && !refusals.includes(404) ? [404] : []),
    ...(isChecked ? [422] : []),
  ].toSorted((a, b) => a - b)
  return {
    operationId: api.prefix + operation,
    summary,
    description,
    ...accessOf(api.scopesOf(operation)),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, ...content(own(body), example) } }),
    responses: {
      [success[0]]: success[1],
      ...(otherSuccess && { [otherSuccess[0]]: otherSuccess[1] }),
      ...Object.fromEntries(refused.map((status) => [status, responseOf(status)])),
    },
  }
}

/** A list in words, for example: `name`, `sku` and `listPrice`. */
function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  return quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}` : quoted.join('')
}

function list(api: RecordApi): Json {
  const { type, many, visibilityClause } = api
  return operationObject(api, {
    operation: 'List',
    summary: `List ${many}`,
    description: `Returns the live ${many}${visibilityClause}, newest first by default. A record must match all filters.`,
    parameters: listParameters(api),
    success: [200, { description: `A page of ${many}.`, ...content(own(`${type}Page`)) }],
    refusals: [400],
  })
}

function create(api: RecordApi): Json {
  const { type, one, aOne, definition } = api
  const required = writableColumns(definition.entity, 'CREATE').filter(isRequired)
  const names = listed(required.map(({ name }) => name))
  const needed = required.length === 1 ? `Only ${names} is required.` : names && `${names} are required.`
  const owned = definition.visibleBy.includes('ownerId') ? `Without \`ownerId\` the caller becomes the owner.` : ''
  return operationObject(api, {
    operation: 'Create',
    summary: `Create ${aOne}`,
    description: [`Creates ${aOne}.`, needed, owned].filter(Boolean).join(' '),
    parameters: [parameter('idempotencyKey')],
    body: `${type}CreateInput`,
    example: createExample(api),
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
    description: `Returns statistics of the live ${api.many}${api.visibilityClause}.${api.takesFilter('Stats') ? ' A record must match all filters.' : ''}`,
    ...(api.takesFilter('Stats') && { parameters: filterParameters(api), refusals: [400] }),
    success: [200, { description: 'The statistics.', ...content(own(`${api.type}Stats`)) }],
  })

const aggregate = (api: RecordApi): Json => ({
  ...(api.area.roles && { 'x-required-roles': api.area.roles }),
  ...operationObject(api, {
    operation: 'Aggregate',
    summary: `Aggregate ${api.many}`,
    description: `Returns counts, sums, averages, smallest and largest values of the live ${api.many}${api.visibilityClause}, by the values of up to three fields and in total. A record must match all filters. Periods begin in the time zone of the organization. An addition to the specification.`,
    parameters: aggregateParameters(api),
    success: [200, { description: 'The figures.', ...content(shared('schemas', 'Aggregate')) }],
    refusals: [400],
  }),
})

const listDeleted = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'ListDeleted',
    summary: `List deleted ${api.many}`,
    description: `Returns an array of the deleted ${api.many}${api.visibilityClause}, most recently deleted first.`,
    parameters: [
      ...['page', 'deletedLimit', 'deletedAfter'].map(parameter),
      ...shapeParametersOf(api),
      parameter('prefer'),
    ],
    success: [200, { description: `Deleted ${api.many}.`, ...content({ type: 'array', items: own(api.type) }) }],
    refusals: [400],
  })

const read = (api: RecordApi): Json =>
  operationObject(api, {
    operation: '',
    summary: `Read ${api.aOne}`,
    description: `Returns one ${api.one}. A deleted ${api.one} answers 404.`,
    parameters: [
      ...(api.has('version') ? [parameter('ifNoneMatch')] : []),
      ...(api.takesTime('') ? [parameter('asOf')] : []),
      ...shapeParametersOf(api),
      parameter('prefer'),
    ],
    success: [
      200,
      {
        description: `The ${api.one}.`,
        ...(api.has('version') && { headers: header('ETag') }),
        ...content(own(api.type)),
      },
    ],
    refusals: api.has('version') ? [304, 400, 404] : [400, 404],
  })

const ifMatch = (api: RecordApi, operation: StandardOperation): Json[] =>
  api.takesVersion(operation) ? [parameter('ifMatch')] : []

const changed = (api: RecordApi, isRetried = true): readonly [number, Json] => [
  200,
  {
    description: `The ${api.one} as changed.`,
    headers: { ...(api.has('version') && header('ETag')), ...(isRetried && header('Idempotent-Replayed')) },
    ...content(own(api.type)),
  },
]

function update(api: RecordApi): Json {
  const clearing = ['Changes only the named fields. `null` clears a field. Lists']
  if (api.has('metadata')) clearing.push(' and `metadata`')
  clearing.push(' are replaced completely')
  if (api.has('customFields')) clearing.push('. `customFields` changes only the named keys; `null` removes a key')
  return operationObject(api, {
    operation: 'Update',
    summary: `Change ${api.aOne}`,
    description: `${clearing.join('')}.`,
    parameters: [...ifMatch(api, 'Update'), parameter('idempotencyKey')],
    body: `${api.type}UpdateInput`,
    example: updateExample(api),
    success: changed(api),
    refusals: [400, 404, 409, 413, 415],
  })
}

const replace = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'Replace',
    summary: `Replace ${api.aOne}`,
    description: `Replaces the ${api.one} with the body: an absent field gets the value that a new ${api.one} would have. The owner stays unless the body names one.`,
    parameters: ifMatch(api, 'Replace'),
    body: `${api.type}ReplaceInput`,
    example: createExample(api),
    success: changed(api, false),
    refusals: [400, 404, 409, 413, 415],
  })

const remove = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'Delete',
    summary: `Delete ${api.aOne}`,
    description: `Deletes the ${api.one}: it is removed from lists, counts and searches${api.offers('Restore') ? ', and can be restored' : ''}.`,
    parameters: ifMatch(api, 'Delete'),
    success: [204, { description: 'Deleted.' }],
    refusals: [400, 404, 409],
  })

const restore = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'Restore',
    summary: `Restore a deleted ${api.one}`,
    description: `Restores a deleted ${api.one} unchanged. A live ${api.one} answers 409 \`INVALID_STATE\`.`,
    parameters: [...ifMatch(api, 'Restore'), parameter('idempotencyKey')],
    success: changed(api),
    refusals: [400, 404, 409],
  })

const bulkSuccess: readonly [number, Json] = [
  200,
  {
    description: 'The result of each item.',
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
    example: operation === 'BulkUpdate' ? bulkUpdateExample(api) : bulkDeleteExample(api),
    success: bulkSuccess,
    refusals: [400, 409, 413, 415],
  })

const bulkUpdate = (api: RecordApi): Json =>
  bulk(
    api,
    'BulkUpdate',
    `Change many ${api.many}`,
    `Changes 1 to ${bulkMax} ${api.many}, each by its \`id\` and, if given, \`expectedVersion\`. Every item succeeds or fails
independently. \`results\` has one entry per item in the order of the request, so the status is 200 even when items failed. A body
that does not match the schema is refused completely with 400, and nothing is changed.
`,
  )

const bulkDelete = (api: RecordApi): Json =>
  bulk(
    api,
    'BulkDelete',
    `Delete many ${api.many}`,
    `Deletes 1 to ${bulkMax} ${api.many}. Every id succeeds or fails independently. \`results\` has one entry per id in the
order of the request, so the status is 200 even when some failed.
`,
  )

/** Where the key is unique, and who has it. */
const keyRules =
  'Several records with the key, possible only for external ids from before they were unique, answer 409 `AMBIGUOUS_MATCH`.'

const readByKey = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'ByKey',
    summary: `Read ${api.aOne} by a key`,
    description: `Returns the live ${api.one} with this value in \`externalId\` or in a unique custom field. ${keyRules}`,
    parameters: [parameter('ifNoneMatch'), ...shapeParametersOf(api), parameter('prefer')],
    success: [200, { description: `The ${api.one}.`, headers: header('ETag'), ...content(own(api.type)) }],
    refusals: [304, 400, 404, 409],
  })

const upsert = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'Upsert',
    summary: `Create or change ${api.aOne} by a key`,
    description: `Changes the ${api.one} with this value in \`externalId\` or in a unique custom field, or creates it with the value: 201 for a new one, 200 for
a changed one. What is absent is not changed; what a new ${api.one} must have is needed only where there is none with the key. Rules, hooks, rights and events are those
of the create and the change. The request may be repeated: the same body again changes nothing. With \`If-Match\` only an existing
${api.one} of that version is changed. ${keyRules} A ${api.one} that has the key and that the caller does not see answers 409 \`UNIQUE_VIOLATION\`
without its id. An addition to the specification.
`,
    parameters: [parameter('ifMatch'), parameter('onlyCreate')],
    body: `${api.type}UpsertInput`,
    example: createExample(api),
    success: [
      201,
      {
        description: `The ${api.one}, which is new.`,
        'x-if': 'isCreated',
        'x-body': 'record',
        headers: { ...header('ETag'), ...header('Location') },
        ...content(own(api.type)),
      },
    ],
    otherSuccess: [
      200,
      { description: `The ${api.one} as changed.`, headers: header('ETag'), ...content(own(api.type)) },
    ],
    refusals: [400, 404, 409, 412, 413, 415],
  })

const bulkUpsert = (api: RecordApi): Json =>
  operationObject(api, {
    operation: 'BulkUpsert',
    summary: `Create or change many ${api.many} by a key`,
    description: `Changes or creates 1 to ${bulkMax} ${api.many}, each by the value that it has in the key field: \`externalId\`, or the unique custom field that \`field\` names.
Every item succeeds or fails independently, and items with the same key are applied in their order. \`results\` has one entry per item in the
order of the request, so the status is 200 even when items failed. A body that does not match the schema is refused completely with
400, and nothing is changed. An addition to the specification.
`,
    parameters: [parameter('idempotencyKey')],
    body: `${api.type}BulkUpsertInput`,
    example: bulkUpsertExample(api),
    success: [
      200,
      {
        description: 'The result of each item.',
        headers: header('Idempotent-Replayed'),
        ...content(shared('schemas', 'BulkUpsertResult')),
      },
    ],
    refusals: [400, 409, 413, 415],
  })

/** Path and method of each standard operation, below the path of the area. */
const places: readonly (readonly [path: string, method: string, StandardOperation, (api: RecordApi) => Json])[] = [
  ['', 'get', 'List', list],
  ['', 'post', 'Create', create],
  ['/stats', 'get', 'Stats', stats],
  ['/aggregate', 'get', 'Aggregate', aggregate],
  ['/deleted', 'get', 'ListDeleted', listDeleted],
  ['/bulk/update', 'post', 'BulkUpdate', bulkUpdate],
  ['/bulk/delete', 'post', 'BulkDelete', bulkDelete],
  ['/batch/upsert', 'post', 'BulkUpsert', bulkUpsert],
  ['/by/{field}/{value}', 'get', 'ByKey', readByKey],
  ['/by/{field}/{value}', 'put', 'Upsert', upsert],
  ['/{id}', 'get', '', read],
  ['/{id}', 'put', 'Replace', replace],
  ['/{id}', 'patch', 'Update', update],
  ['/{id}', 'delete', 'Delete', remove],
  ['/{id}/restore', 'post', 'Restore', restore],
]

/** The parameter of the path that names what the records are of. */
function withinParameters({ area: { within }, schema, prefix }: RecordApi): Json[] {
  if (!within) return []
  const { [prefix]: root } = schema.getQueryType()!.getFields()
  const argument = root!.args.find(({ name }) => name === within.argument)!
  const { column, example } = declaredValue(argument)!
  return [
    {
      name: within.parameter,
      in: 'path',
      required: true,
      'x-variable': within.argument,
      description: argument.description,
      schema: { ...valueSchema(column!), example },
    },
  ]
}

/** The paths of these standard operations, as far as the graph has them. */
export function standardPaths(
  api: RecordApi,
  operations: readonly StandardOperation[] = standardOperations,
): Readonly<Record<string, Json>> {
  const paths: Record<string, Json> = {}
  const within = withinParameters(api)
  for (const [below, method, operation, describe] of places) {
    if (!operations.includes(operation) || !api.offers(operation)) continue
    const path = `/v1/${api.area.path}${below}`
    const named = below.startsWith('/{id}') ? ['id'] : below.startsWith('/by/') ? ['keyField', 'keyValue'] : []
    const ofPath = [...within, ...named.map(parameter)]
    const onRecord = ofPath.length > 0 ? { parameters: ofPath } : {}
    paths[path] = { ...onRecord, ...paths[path], [method]: describe(api) }
  }
  return paths
}
