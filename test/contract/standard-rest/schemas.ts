import { getNamedType, isNonNullType, isObjectType, type GraphQLField } from 'graphql'
import { decimalsMax, numberMax, textMax } from '../../../subgraphs/kernel/record/check-values.ts'
import { enumerationName, type Column } from '../../../subgraphs/kernel/record/column.ts'
import { isRequired, writableColumns } from '../../../subgraphs/kernel/record/inputs.ts'
import { bulkMax } from '../../../subgraphs/kernel/record/records-of.ts'
import type { RecordApi } from './record-api.ts'

export type Json = Readonly<Record<string, unknown>>

export const own = (schema: string): Json => ({ $ref: `#/components/schemas/${schema}` })
export const shared = (kind: string, name: string): Json => ({ $ref: `../../api.yaml#/components/${kind}/${name}` })

/** Of an integer of the graph. */
export const integerMax = 2_147_483_647

const id: Json = { type: 'string', format: 'uuid' }
const decimalPattern = String.raw`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`
/** Columns that no profile hides. */
const alwaysShown = ['id', 'organizationId', 'version', 'createdAt', 'updatedAt']

const typed = (type: string, nullable: boolean, rest: Json = {}): Json => ({
  type: nullable ? [type, 'null'] : type,
  ...rest,
})

/** A column in the record that is answered. */
function readSchema(column: Column, { one, definition }: RecordApi): Json {
  const { name, kind, nullable } = column
  if (name === 'metadata') return shared('schemas', 'FreeForm')
  if (name === 'customFields') return shared('schemas', 'CustomFields')
  const ofEveryRecord: Readonly<Record<string, string | null>> = {
    id: null,
    ownerId: `The user who owns the ${one}.`,
    externalId: 'Identifier in another system.',
    version: 'Counts the changes of the record.',
    deletedAt: `Null while the ${one} is live.`,
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

/** A column in a body, with its bounds. */
function inputSchema(column: Column): Json {
  const { name, kind, minimum, maximum } = column
  const nullable = column.nullable && !column.lasting
  if (name === 'id') return { ...id, description: 'Chosen by the caller, for imports that can be retried.' }
  if (name === 'ownerId')
    return typed('string', nullable, { format: 'uuid', description: 'An active user of the organization.' })
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
        description: `As a number, or as text with one; at most ${column.decimals ?? decimalsMax} decimals.`,
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

const pageSchema = ({ type, Many }: RecordApi): Json => ({
  type: 'object',
  required: ['data', 'page', 'limit', 'hasMore'],
  properties: {
    data: { type: 'array', items: own(type) },
    page: { type: 'integer' },
    limit: { type: 'integer' },
    total: { type: 'integer', description: `${Many} that match.` },
    totalPages: { type: 'integer' },
    hasMore: { type: 'boolean' },
    nextCursor: { type: ['string', 'null'], description: 'Null on the last page.' },
  },
})

const figureTypes: Readonly<Record<string, string>> = {
  Int: 'integer',
  Float: 'number',
  Decimal: 'number',
  Boolean: 'boolean',
  String: 'string',
}

/** JSON among the figures counts records by the values of a column. */
function figureSchema({ name, type }: GraphQLField<unknown, unknown>): Json {
  const nullable = !isNonNullType(type)
  const named = getNamedType(type).name
  if (named === 'JSON') {
    const counts = shared('schemas', 'Counts')
    return nullable ? { oneOf: [counts, { type: 'null' }] } : counts
  }
  const known = figureTypes[named]
  if (!known) throw new Error(`REST has no type for ${name}, a ${named}.`)
  return typed(known, nullable)
}

export function statsFields({ schema, type }: RecordApi): GraphQLField<unknown, unknown>[] {
  const stats = schema.getType(`${type}Stats`)
  if (!isObjectType(stats)) throw new Error(`The graph has no type ${type}Stats.`)
  return Object.values(stats.getFields())
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

/** The schemas of the record, of the bodies and of the answers of its standard operations. */
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
    description: `Fails the item when the ${one} has another version.`,
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
        properties: Object.fromEntries(statsFields(api).map((figure) => [figure.name, figureSchema(figure)])),
      },
    }),
  }
}
