import {
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLOutputType,
} from 'graphql'
import { decimalsMax, numberMax, textMax } from '../../../subgraphs/kernel/record/check-values.ts'
import { enumerationName, type Column } from '../../../subgraphs/kernel/record/column.ts'
import { isRequired, writableColumns } from '../../../subgraphs/kernel/record/inputs.ts'
import { bulkMax } from '../../../subgraphs/kernel/record/records-of.ts'
import type { RecordApi } from './record-api.ts'

export type Json = Readonly<Record<string, unknown>>

export const own = (schema: string): Json => ({ $ref: `#/components/schemas/${schema}` })
export const shared = (kind: string, name: string): Json => ({ $ref: `../../api.yaml#/components/${kind}/${name}` })

/** Largest integer of the graph. */
export const integerMax = 2_147_483_647

const id: Json = { type: 'string', format: 'uuid' }
const decimalPattern = String.raw`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`
/** Columns that a profile cannot hide. */
const alwaysShown = ['id', 'organizationId', 'version', 'createdAt', 'updatedAt']

const typed = (type: string, nullable: boolean, rest: Json = {}): Json => ({
  type: nullable ? [type, 'null'] : type,
  ...rest,
})

/** Schema of a column in a response. */
function readSchema(column: Column, { one, definition }: RecordApi): Json {
  const { name, kind, nullable } = column
  if (name === 'metadata') return shared('schemas', 'FreeForm')
  if (name === 'customFields') return shared('schemas', 'CustomFields')
  const ofEveryRecord: Readonly<Record<string, string | null>> = {
    id: `Id of the ${one}.`,
    organizationId: 'Id of the organization.',
    ownerId: `Id of the user who owns the ${one}.`,
    externalId: `Id of the ${one} in another system; null if none.`,
    version: 'Version of the record, increased by every change; also sent as `ETag`.',
    createdAt: `When the ${one} was created.`,
    updatedAt: `When the ${one} was last changed.`,
    deletedAt: `When the ${one} was deleted; null while it is live.`,
  }
  const description = name in ofEveryRecord ? ofEveryRecord[name] : column.description
  const rest = description ? { description } : {}
  switch (kind) {
    case 'id':
      return typed('string', nullable, { format: 'uuid', ...rest })
    case 'timestamp':
      return typed('string', nullable, { format: 'date-time', ...rest })
    case 'integer':
      return typed('integer', nullable, rest)
    case 'number':
    case 'money':
      return typed('number', nullable, rest)
    case 'boolean':
      return typed('boolean', nullable, rest)
    case 'textList':
      return { type: 'array', items: { type: 'string' }, ...rest }
    case 'json':
      return rest
    case 'enum': {
      if (column.readAsString) {
        const example = (definition.events?.sample as Json | undefined)?.[name]
        return typed('string', nullable, { ...(example === undefined ? {} : { example }), ...rest })
      }
      const named = own(enumerationName(column.type))
      return nullable ? { anyOf: [named, { type: 'null' }], ...rest } : { ...named, ...rest }
    }
    default:
      return typed('string', nullable, rest)
  }
}

const textBounds = ({ max = textMax, filled }: Column): Json => ({
  ...(filled && { minLength: 1 }),
  maxLength: max,
  ...(filled && { pattern: String.raw`\S` }),
})

/** Schema of a column in a body, with its bounds. */
function inputSchema(column: Column): Json {
  const { name, kind, minimum, maximum } = column
  const nullable = column.nullable && !column.notClearable
  if (name === 'id')
    return { ...id, description: 'Id chosen by the caller, so that an import can be retried. Absent: a new id.' }
  if (name === 'ownerId')
    return typed('string', nullable, {
      format: 'uuid',
      description: 'Id of the owner, an active user of the organization.',
    })
  if (name === 'tags') return shared('schemas', 'Tags')
  if (name === 'customFields') return shared('schemas', 'CustomFieldsInput')
  switch (kind) {
    case 'id':
      return typed('string', nullable, { format: 'uuid' })
    case 'text':
      return typed('string', nullable, textBounds(column))
    case 'textList':
      return { type: 'array', maxItems: column.maxItems ?? 100, items: { type: 'string', ...textBounds(column) } }
    case 'integer':
      return typed('integer', nullable, { minimum: minimum ?? -integerMax - 1, maximum: maximum ?? integerMax })
    case 'number':
      return typed('number', nullable, { minimum: minimum ?? -numberMax, maximum: maximum ?? numberMax })
    case 'money':
      return {
        type: ['number', 'string', ...(nullable ? ['null'] : [])],
        description: `Amount, as a number or as a string with a number; at most ${column.decimals ?? decimalsMax} decimals.`,
        minimum: minimum ?? -numberMax,
        maximum: maximum ?? numberMax,
        pattern: decimalPattern,
      }
    case 'boolean':
      return typed('boolean', nullable)
    case 'timestamp':
      return typed('string', nullable, { format: 'date-time' })
    case 'enum':
      return nullable
        ? { type: ['string', 'null'], enum: [...Object.keys(column.type), null] }
        : own(enumerationName(column.type))
    default:
      return shared('schemas', 'FreeFormInput')
  }
}

function bodySchema(columns: readonly Column[], required: readonly string[], more: Json = {}): Json {
  const properties = Object.fromEntries(columns.map((column) => [column.name, inputSchema(column)]))
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: { ...more, ...properties },
  }
}

const recordSchema = (api: RecordApi): Json => ({
  type: 'object',
  required: alwaysShown.filter(api.has),
  properties: Object.fromEntries(api.columns.map((column) => [column.name, readSchema(column, api)])),
})

const pageSchema = ({ type, many }: RecordApi): Json => ({
  type: 'object',
  required: ['data', 'page', 'limit', 'hasMore'],
  properties: {
    data: { type: 'array', items: own(type) },
    page: { type: 'integer', description: 'Number of this page, from 1.' },
    limit: { type: 'integer', description: `Maximum number of ${many} on a page, 1 to 100.` },
    total: {
      type: 'integer',
      description: `Number of ${many} that match, on all pages; absent with \`includeTotal=false\`.`,
    },
    totalPages: { type: 'integer', description: 'Number of pages; absent with `includeTotal=false`.' },
    hasMore: { type: 'boolean', description: `True if more ${many} follow after this page.` },
    nextCursor: {
      type: ['string', 'null'],
      description: 'Value to send as `cursor` to get the next page; null on the last page.',
    },
  },
})

const statsFieldTypes: Readonly<Record<string, string>> = {
  Int: 'integer',
  Float: 'number',
  Decimal: 'number',
  Boolean: 'boolean',
  String: 'string',
}

/** A statistics field of type JSON, or with a field for each value, has the number of records by the values of a column. */
function statsFieldSchema({ name, type }: GraphQLField<unknown, unknown>): Json {
  const nullable = !isNonNullType(type)
  const named = getNamedType(type).name
  if (named === 'JSON' || isCounts(type)) {
    const counts = shared('schemas', 'Counts')
    return nullable ? { oneOf: [counts, { type: 'null' }] } : counts
  }
  const known = statsFieldTypes[named]
  if (!known)
    throw new Error(
      `The statistics field ${name} must have one of the types ${Object.keys(statsFieldTypes).join(', ')}, not ${named}.`,
    )
  return typed(known, nullable)
}

/** The values of an enumeration as fields; see `valueCounts`. */
export const countedValues = (type: GraphQLOutputType): string[] => {
  const named = getNamedType(type)
  return isObjectType(named) ? Object.keys(named.getFields()) : []
}

const isCounts = (type: GraphQLOutputType): boolean => countedValues(type).length > 0

const isList = (type: GraphQLOutputType): boolean => isListType(getNullableType(type))

/** The statistics that REST returns; a list of counts is there an object with the values as keys. */
export function statsFields({ schema, type }: RecordApi): GraphQLField<unknown, unknown>[] {
  const stats = schema.getType(`${type}Stats`)
  if (!isObjectType(stats)) throw new Error(`The graph must have a type ${type}Stats.`)
  return Object.values(stats.getFields()).filter(({ type }) => !isList(type))
}

const enumSchemas = ({ columns }: RecordApi): Json =>
  Object.fromEntries(
    columns.flatMap(({ kind, type }) =>
      kind === 'enum' ? [[enumerationName(type), { type: 'string', enum: Object.keys(type) }]] : [],
    ),
  )

const bulkList = (items: Json): Json => ({ type: 'array', minItems: 1, maxItems: bulkMax, items })

const bulkBody = (name: string, items: Json): Json => ({
  type: 'object',
  additionalProperties: false,
  required: [name],
  properties: { [name]: bulkList(items) },
})

/** The schemas of the record and of the bodies and responses of its standard operations. */
export function standardSchemas(api: RecordApi): Json {
  const { definition, type, one } = api
  const inOrder = (operation: 'CREATE' | 'UPDATE'): Column[] => {
    const writable = writableColumns(definition.entity, operation)
    return api.columns.filter((column) => writable.includes(column))
  }
  const expectedVersion = {
    type: 'integer',
    minimum: 1,
    maximum: integerMax,
    description: `Version that the ${one} must have; otherwise the item fails.`,
  }
  const required = inOrder('CREATE').filter(isRequired)
  return {
    ...enumSchemas(api),
    [type]: recordSchema(api),
    ...(api.offers('List') && { [`${type}Page`]: pageSchema(api) }),
    ...(api.offers('Create') && {
      [`${type}CreateInput`]: bodySchema(
        inOrder('CREATE'),
        required.map(({ name }) => name),
      ),
    }),
    ...(api.offers('Update') && { [`${type}UpdateInput`]: bodySchema(inOrder('UPDATE'), []) }),
    ...(api.offers('BulkUpdate') && {
      [`${type}BulkUpdateInput`]: bulkBody('items', own(`${type}BulkUpdateItem`)),
      [`${type}BulkUpdateItem`]: bodySchema(inOrder('UPDATE'), ['id'], { id, expectedVersion }),
    }),
    ...(api.offers('BulkDelete') && { [`${type}BulkDeleteInput`]: bulkBody('ids', id) }),
    ...(api.offers('Stats') && {
      [`${type}Stats`]: {
        type: 'object',
        properties: Object.fromEntries(statsFields(api).map((field) => [field.name, statsFieldSchema(field)])),
      },
    }),
  }
}
