import {
  getNamedType,
  getNullableType,
  isListType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLOutputType,
} from 'graphql'
import { isRequiredPart, itemsMax, numberMax, textMax } from '../../../subgraphs/kernel/record/check-values.ts'
import {
  enumerationDescription,
  enumerationName,
  enumerationOf,
  type Column,
  type GraphQLTypeOf,
} from '../../../subgraphs/kernel/record/column.ts'
import { declaredValue } from '../../../subgraphs/kernel/record/declared-value.ts'
import type { CreatedWith } from '../../../subgraphs/kernel/record/created-with.ts'
import { inputDescription } from '../../../subgraphs/kernel/record/describe.ts'
import { strictestLevel } from '../../../subgraphs/kernel/record/field-security.ts'
import { isRequired, writableColumns } from '../../../subgraphs/kernel/record/inputs.ts'
import { bulkMax } from '../../../subgraphs/kernel/record/records-of.ts'
import { writableParts } from '../../../subgraphs/kernel/record/structure.ts'
import { inputExampleOf } from './input-example.ts'
import { relationProperties, shapeSchemas } from './relations.ts'
import type { RecordApi } from './record-api.ts'

export type Json = Readonly<Record<string, unknown>>

export const own = (schema: string): Json => ({ $ref: `#/components/schemas/${schema}` })
export const shared = (kind: string, name: string): Json => ({ $ref: `../../api.yaml#/components/${kind}/${name}` })

/** Largest integer of the graph. */
export const integerMax = 2_147_483_647

const id: Json = { type: 'string', format: 'uuid' }
const decimalPattern = String.raw`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`

const typed = (type: string, nullable: boolean, rest: Json = {}): Json => ({
  type: nullable ? [type, 'null'] : type,
  ...rest,
})

/** Schema of a column in a response. */
export function readSchema(column: Column): Json {
  const { name, kind, nullable, description, example } = column
  const rest: Json = {
    description,
    ...(example !== undefined && { example }),
    ...(column.isUnversioned && { 'x-unversioned': true }),
  }
  if (name === 'metadata') return { ...shared('schemas', 'FreeForm'), ...rest }
  if (name === 'customFields') return { ...shared('schemas', 'CustomFields'), ...rest }
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
    case 'textList': {
      const members = enumerationOf(column)
      const isClosed = members && !column.readAsString
      return { type: 'array', items: isClosed ? own(enumerationName(members)) : { type: 'string' }, ...rest }
    }
    case 'json': {
      const { structure } = column
      if (!structure) return rest
      const named = own(structure.name)
      if (structure.isList) return { type: 'array', items: named, ...rest }
      return nullable ? { anyOf: [named, { type: 'null' }], ...rest } : { ...named, ...rest }
    }
    case 'enum': {
      if (column.readAsString) return typed('string', nullable, rest)
      const named = own(enumerationName(column.type))
      return nullable ? { anyOf: [named, { type: 'null' }], ...rest } : { ...named, ...rest }
    }
    default:
      return typed('string', nullable, rest)
  }
}

const textBounds = ({ max = textMax, filled, isEmail }: Column): Json => ({
  ...(isEmail && { format: 'email' }),
  ...(filled && { minLength: 1 }),
  maxLength: max,
  ...(filled && { pattern: String.raw`\S` }),
})

/** Schema of a column in a body, with its bounds. */
export function columnInputSchema(column: Column, operation: 'CREATE' | 'UPDATE'): Json {
  const { kind } = column
  const example = inputExampleOf(column)
  const description = inputDescription(column, operation)
  return {
    ...valueSchema(column),
    description: kind === 'money' ? `${description} A number, or a string with a number.` : description,
    ...(example != null && { example }),
    ...(operation === 'UPDATE' && column.writtenWith && { 'x-written-with': column.writtenWith }),
  }
}

/** The type and the bounds of a column in a body. */
export function valueSchema(column: Column): Json {
  const { name, kind, minimum, maximum } = column
  const nullable = column.nullable && !column.notClearable
  if (name === 'tags') return shared('schemas', 'Tags')
  if (name === 'customFields') return shared('schemas', 'CustomFieldsInput')
  if (column.structure) {
    const named = own(`${column.structure.name}Input`)
    if (column.structure.isList) return { type: 'array', maxItems: column.maxItems ?? itemsMax, items: named }
    return nullable ? { anyOf: [named, { type: 'null' }] } : named
  }
  switch (kind) {
    case 'id':
      return typed('string', nullable, { format: 'uuid' })
    case 'text':
      return typed('string', nullable, textBounds(column))
    case 'textList': {
      const members = enumerationOf(column)
      const items = members ? own(enumerationName(members)) : { type: 'string', ...textBounds(column) }
      return { type: 'array', maxItems: column.maxItems ?? itemsMax, items }
    }
    case 'integer':
      return typed('integer', nullable, { minimum: minimum ?? -integerMax - 1, maximum: maximum ?? integerMax })
    case 'number':
      return typed('number', nullable, { minimum: minimum ?? -numberMax, maximum: maximum ?? numberMax })
    case 'money':
      return {
        type: ['number', 'string', ...(nullable ? ['null'] : [])],
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

interface Body {
  readonly operation: 'CREATE' | 'UPDATE'
  readonly columns: readonly Column[]
  readonly required: readonly string[]
  readonly description: string
  /** Properties that are not columns. */
  readonly more?: Json
}

function bodySchema({ operation, columns, required, description, more }: Body): Json {
  const properties = Object.fromEntries(columns.map((column) => [column.name, columnInputSchema(column, operation)]))
  return {
    type: 'object',
    description,
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: { ...more, ...properties },
  }
}

/** A property that a profile can hide is absent for its users, so it is not required. */
const recordSchema = ({ area, columns, description, relations, definition }: RecordApi): Json => ({
  type: 'object',
  description,
  required: [
    ...columns.filter((column) => strictestLevel(column) !== 'HIDDEN').map(({ name }) => name),
    ...area.derivedFields,
  ],
  properties: {
    ...Object.fromEntries(columns.map((column) => [column.name, readSchema(column)])),
    ...relationProperties({ relations, definition }),
  },
})

export const pageSchema = ({ type, many }: Pick<RecordApi, 'type' | 'many'>) => ({
  type: 'object',
  description: `A page of ${many}.`,
  required: ['data', 'page', 'limit', 'hasMore', 'nextCursor'],
  properties: {
    data: { type: 'array', items: own(type), description: `The ${many} of this page, in the requested order.` },
    page: { type: 'integer', description: 'Number of this page, from 1.', example: 1 },
    limit: { type: 'integer', description: `Maximum number of ${many} on a page, 1 to 100.`, example: 20 },
    total: {
      type: 'integer',
      example: 1,
      description: `Number of ${many} that match, on all pages; absent with \`includeTotal=false\`.`,
    },
    totalPages: { type: 'integer', description: 'Number of pages; absent with `includeTotal=false`.', example: 1 },
    hasMore: { type: 'boolean', description: `True if more ${many} follow after this page.`, example: false },
    nextCursor: {
      type: ['string', 'null'],
      example: null,
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
function statsFieldSchema(field: GraphQLField<unknown, unknown>): Json {
  const { name, type, description, deprecationReason } = field
  const example = declaredValue(field)?.example
  const described = {
    description,
    ...(deprecationReason && { deprecated: true }),
    ...(example !== undefined && { example }),
  }
  const nullable = !isNonNullType(type)
  const named = getNamedType(type).name
  if (isList(type)) {
    const items = named === 'CurrencyFigures' ? shared('schemas', named) : own(named)
    return { ...typed('array', nullable), items, ...described }
  }
  if (named === 'JSON' || isCounts(type)) {
    const counts = shared('schemas', 'Counts')
    return nullable ? { oneOf: [counts, { type: 'null' }], ...described } : { ...counts, ...described }
  }
  const known = statsFieldTypes[named]
  if (!known)
    throw new Error(
      `The statistics field ${name} must have one of the types ${Object.keys(statsFieldTypes).join(', ')}, not ${named}.`,
    )
  return typed(known, nullable, described)
}

/** The values of an enumeration as fields; see `valueCounts`. */
export const countedValues = (type: GraphQLOutputType): string[] => {
  const named = getNamedType(type)
  return isObjectType(named) ? Object.keys(named.getFields()) : []
}

const isCounts = (type: GraphQLOutputType): boolean => countedValues(type).length > 0

const isList = (type: GraphQLOutputType): boolean => isListType(getNullableType(type))

/** The figures by currency are a list in REST, too. */
const isByCurrency = (type: GraphQLOutputType): boolean =>
  /Currency(?:Figures|Stats|Total)$/.test(getNamedType(type).name)

/** The statistics that REST returns; any other list of counts is there an object with the values as keys. */
export function statsFields({ schema, type }: RecordApi): GraphQLField<unknown, unknown>[] {
  const stats = schema.getType(`${type}Stats`)
  if (!isObjectType(stats)) throw new Error(`The graph must have a type ${type}Stats.`)
  return Object.values(stats.getFields()).filter(({ type }) => !isList(type) || isByCurrency(type))
}

function statsSchema(api: RecordApi): Json {
  const fields = statsFields(api)
  return {
    type: 'object',
    description: api.schema.getType(`${api.type}Stats`)?.description ?? '',
    required: fields.map(({ name }) => name),
    properties: Object.fromEntries(fields.map((field) => [field.name, statsFieldSchema(field)])),
  }
}

/** The schemas of the structured values of the columns: in responses, and in bodies. */
const structureSchemas = ({ columns }: RecordApi): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    columns.flatMap(({ structure }): [string, Json][] => {
      if (!structure) return []
      const { name, description, parts } = structure
      const writable = writableParts(parts)
      return [
        [
          name,
          {
            type: 'object',
            description,
            required: parts.map((part) => part.name),
            properties: Object.fromEntries(parts.map((part) => [part.name, readSchema(part)])),
          },
        ],
        [
          `${name}Input`,
          bodySchema({
            operation: 'CREATE',
            columns: writable,
            required: writable.filter(isRequiredPart).map((part) => part.name),
            description,
          }),
        ],
      ]
    }),
  )

/** The columns, and the parts of those that are structured. */
const withParts = (columns: readonly Column[]): Column[] =>
  columns.flatMap((column) => [column, ...(column.structure?.parts ?? [])])

/** The schemas of the enumerations whose members the columns have. */
export const enumSchemas = (columns: readonly Column[]): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    withParts(columns).flatMap((column) => {
      const members = enumerationOf(column)
      return members ? [[enumerationName(members), enumSchema(members)]] : []
    }),
  )

const enumSchema = (type: GraphQLTypeOf): Json => ({
  type: 'string',
  description: enumerationDescription(type),
  enum: Object.keys(type),
})

const bulkBody = (name: string, items: Json, description: string): Json => ({
  type: 'object',
  description,
  additionalProperties: false,
  required: [name],
  properties: { [name]: { type: 'array', minItems: 1, maxItems: bulkMax, items, description } },
})

const upsertBody = ({ type, many }: RecordApi): Json => {
  const body = bulkBody('items', own(`${type}BulkUpsertItem`), `The values of 1 to ${bulkMax} ${many}.`)
  const field = {
    type: 'string',
    minLength: 1,
    maxLength: 100,
    default: 'externalId',
    example: 'externalId',
    description: 'Field of the key: `externalId`, or the name of a unique custom field. Any other field is refused.',
  }
  return { ...body, properties: { field, ...(body['properties'] as Json) } }
}

const createdWithProperty = ({ property, input, itemsMax: most, description }: CreatedWith): Json => ({
  [property]: {
    type: 'array',
    maxItems: most,
    items: own(input),
    description: `${description} At most ${most} items.`,
  },
})

/** The schema of a record of another type that is created with a record. */
function createdWithSchema({ schema }: RecordApi, { entity, input, omitted }: CreatedWith): Json {
  const columns = writableColumns(entity, 'CREATE').filter(({ name }) => !omitted.includes(name))
  return bodySchema({
    operation: 'CREATE',
    columns,
    required: columns.filter(isRequired).map(({ name }) => name),
    description: schema.getType(input)?.description ?? '',
  })
}

/** The schemas of the record and of the bodies and responses of its standard operations. */
export function standardSchemas(api: RecordApi): Readonly<Record<string, Json>> {
  const { definition, type, one, many, schema } = api
  const described = (name: string): string => schema.getType(name)?.description ?? ''
  /** The columns of an input of the graph. */
  const columnsOf = (name: string): Column[] => {
    const input = schema.getType(name)
    const fields = isInputObjectType(input) ? input.getFields() : {}
    return api.columns.filter((column) => Object.hasOwn(fields, column.name))
  }
  const inOrder = (operation: 'CREATE' | 'UPDATE'): Column[] => {
    const writable = writableColumns(definition.entity, operation)
    return api.columns.filter((column) => writable.includes(column))
  }
  const expectedVersion = {
    type: 'integer',
    minimum: 1,
    maximum: integerMax,
    example: 1,
    description: `Version that the ${one} must have; otherwise the item fails with VERSION_CONFLICT. Absent: no check.`,
  }
  const required = inOrder('CREATE').filter(isRequired)
  const changes = { operation: 'UPDATE', columns: inOrder('UPDATE') } as const
  const upserted = { operation: 'UPDATE', columns: columnsOf(`${type}UpsertInput`) } as const
  return {
    ...enumSchemas(api.columns),
    ...structureSchemas(api),
    [type]: recordSchema(api),
    ...shapeSchemas(api, [...api.columns.map(({ name }) => name), ...api.area.derivedFields]),
    ...(api.offers('List') && { [`${type}Page`]: pageSchema(api) }),
    ...(schema.getType(`${type}CreateInput`) && {
      [`${type}CreateInput`]: bodySchema({
        operation: 'CREATE',
        columns: columnsOf(`${type}CreateInput`),
        required: required.map(({ name }) => name),
        description: described(`${type}CreateInput`),
        ...(api.area.createsWith && { more: createdWithProperty(api.area.createsWith) }),
      }),
      ...(api.area.createsWith && { [api.area.createsWith.input]: createdWithSchema(api, api.area.createsWith) }),
    }),
    ...(schema.getType(`${type}UpdateInput`) && {
      [`${type}UpdateInput`]: bodySchema({ ...changes, required: [], description: described(`${type}UpdateInput`) }),
    }),
    ...(schema.getType(`${type}ReplaceInput`) && {
      [`${type}ReplaceInput`]: bodySchema({
        operation: 'CREATE',
        columns: inOrder('UPDATE'),
        required: required.map(({ name }) => name),
        description: described(`${type}ReplaceInput`),
      }),
    }),
    ...(api.offers('BulkUpdate') && {
      [`${type}BulkUpdateInput`]: bulkBody(
        'items',
        own(`${type}BulkUpdateItem`),
        `The changes of 1 to ${bulkMax} ${many}.`,
      ),
      [`${type}BulkUpdateItem`]: bodySchema({
        ...changes,
        required: ['id'],
        description: described(`${type}BulkUpdateItem`),
        more: { id: { ...id, description: `Id of the ${one} to change.` }, expectedVersion },
      }),
    }),
    ...(api.offers('Upsert') && {
      [`${type}UpsertInput`]: bodySchema({ ...upserted, required: [], description: described(`${type}UpsertInput`) }),
      [`${type}BulkUpsertInput`]: upsertBody(api),
      [`${type}BulkUpsertItem`]: bodySchema({
        ...upserted,
        required: [],
        description: described(`${type}BulkUpsertItem`),
        more: { expectedVersion },
      }),
    }),
    ...(api.offers('BulkDelete') && {
      [`${type}BulkDeleteInput`]: bulkBody('ids', id, `Ids of 1 to ${bulkMax} ${many}.`),
    }),
    ...(api.offers('Stats') && { [`${type}Stats`]: statsSchema(api) }),
  }
}
