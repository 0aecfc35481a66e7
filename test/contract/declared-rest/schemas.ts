import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLType,
} from 'graphql'
import { numberMax } from '../../../subgraphs/kernel/record/check-values.ts'
import { declaredValue, type DeclaredValue } from '../../../subgraphs/kernel/record/declared-value.ts'
import { pluralOf, wordsOf } from '../../../subgraphs/kernel/record/describe.ts'
import { strictestLevel } from '../../../subgraphs/kernel/record/field-security.ts'
import {
  columnInputSchema,
  integerMax,
  own,
  pageSchema,
  readSchema,
  shared,
  valueSchema,
  type Json,
} from '../standard-rest/schemas.ts'
import { answeredColumns, answeredFields } from './document.ts'
import { isPageType, isRequired, type Element, type Input, type OperationApi } from './operation-api.ts'
import { isSharedSchema, shapeOf } from './rest-types.ts'

/** What a description says about scopes; an operation of REST says it once. */
const withoutScopes = (text: string | null | undefined): string => (text ?? '').replace(/ ?Needs [^.]+\.$/, '')

export const reference = (name: string): Json => (isSharedSchema(name) ? shared('schemas', name) : own(name))

const decimalPattern = String.raw`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`

const answered: Readonly<Record<string, Json>> = {
  ID: { type: 'string', format: 'uuid' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Decimal: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  JSON: {},
}

/** Values without declared bounds. A text has none by its type, so it is not among them. */
const given: Readonly<Record<string, Json>> = {
  ID: { type: 'string', format: 'uuid' },
  Int: { type: 'integer', minimum: -integerMax - 1, maximum: integerMax },
  Float: { type: 'number', minimum: -numberMax, maximum: numberMax },
  Decimal: { type: ['number', 'string'], minimum: -numberMax, maximum: numberMax, pattern: decimalPattern },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
}

/** The schema of an answer, or of each item of a list. */
export const answerReference = (name: string): Json => answered[name] ?? reference(name)

export function orNull(schema: Json): Json {
  if (schema['$ref']) return { anyOf: [schema, { type: 'null' }] }
  if (schema['type'] === undefined) return schema
  return { ...schema, type: [schema['type'], 'null'].flat() }
}

/** Numbers of records by the values of an enumeration; see `valueCounts`. */
const isCounts = (type: GraphQLNamedType): boolean => isObjectType(type) && type.name.endsWith('Counts')

function answerType(type: GraphQLType): Json {
  const nullable = getNullableType(type)
  const named = getNamedType(type)
  const schema = isListType(nullable)
    ? { type: 'array', items: answerType(nullable.ofType as GraphQLType) }
    : isCounts(named)
      ? shared('schemas', 'Counts')
      : named.name === 'JSON'
        ? {}
        : (answered[named.name] ?? reference(named.name))
  return isNonNullType(type) ? schema : orNull(schema)
}

const exampleOf = (value: DeclaredValue | undefined): Json =>
  value?.example === undefined ? {} : { example: value.example }

const answerProperty = (field: GraphQLField<unknown, unknown>): Json => ({
  ...answerType(field.type),
  description: withoutScopes(field.description),
  ...(field.deprecationReason && { deprecated: true }),
  ...exampleOf(declaredValue(field)),
})

const objectOf = (description: string, required: readonly string[], properties: Json): Json => ({
  type: 'object',
  description,
  required,
  properties,
})

/** The schema of an object type, with the fields that stored documents select. */
function answerSchema(type: GraphQLNamedType, omits: readonly string[]): Json {
  const description = withoutScopes((type as { description?: string }).description)
  const shape = shapeOf(type.name)
  if (shape) {
    const columns = answeredColumns(shape.columns.shown, omits)
    const required = columns.filter((column) => strictestLevel(column) !== 'HIDDEN').map(({ name }) => name)
    return objectOf(
      description,
      required,
      Object.fromEntries(columns.map((column) => [column.name, readSchema(column)])),
    )
  }
  const fields = answeredFields(type, omits)
  const names = fields.map(({ name }) => name)
  if (isPageType(type)) {
    const item = getNamedType(fields.find(({ name }) => name === 'data')!.type).name
    const page = pageSchema({ type: item, many: pluralOf(wordsOf(item)) })
    const properties = Object.entries(page.properties).filter(([name]) => names.includes(name))
    return {
      ...page,
      required: page.required.filter((name) => names.includes(name)),
      properties: Object.fromEntries(properties),
    }
  }
  return objectOf(description, names, Object.fromEntries(fields.map((field) => [field.name, answerProperty(field)])))
}

function valueOf(element: Element, type: GraphQLType, value: DeclaredValue | undefined, place: string): Json {
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const { minItems = 0, maxItems } = value ?? {}
    if (maxItems === undefined) throw new Error(`${place} must be declared with maxItems (InputField or ValueArg).`)
    const items = valueOf(element, nullable.ofType as GraphQLType, value, place)
    return { type: 'array', ...(minItems > 0 && { minItems }), maxItems, items }
  }
  const named = getNamedType(type)
  if (value?.column) return valueSchema({ ...value.column, nullable: false })
  if (named.name === 'JSON') return shared('schemas', 'FreeFormInput')
  if (isEnumType(named) || isInputObjectType(named)) return reference(named.name)
  const schema = given[named.name]
  if (!schema) throw new Error(`${place} must be declared with its bounds (InputField or ValueArg).`)
  return schema
}

function nullableValue(schema: Json, element: Element): Json {
  const named = getNamedType(element.type)
  if (!isEnumType(named) || !schema['$ref']) return orNull(schema)
  return { type: ['string', 'null'], enum: [...named.getValues().map(({ name }) => name), null] }
}

/** The schema of an argument or an input field. A parameter cannot be null; neither can what has a default. */
export function inputSchema(element: Element, place: string, isParameter = false): Json {
  const value = declaredValue(element)
  const { type, defaultValue } = element
  const schema = valueOf(element, type, value, place)
  const isNullable = !isNonNullType(type) && defaultValue === undefined && !isParameter
  const hasDefault = defaultValue !== undefined && !schema['$ref']
  return {
    ...(isNullable ? nullableValue(schema, element) : schema),
    ...(hasDefault && { default: defaultValue }),
    ...exampleOf(value),
  }
}

export function inputDescription(element: Element): string {
  const isMoney = getNamedType(element.type).name === 'Decimal'
  return `${withoutScopes(element.description)}${isMoney ? ' A number, or a string with a number.' : ''}`
}

const bodyOf = (
  description: string,
  members: readonly (readonly [name: string, element: Element])[],
  place: string,
  columns: Json = {},
): Json => {
  const required = members.filter(([, element]) => isRequired(element)).map(([name]) => name)
  const properties = members.map(([name, element]) => [
    name,
    columns[name] ?? { ...inputSchema(element, `${place}.${name}`), description: inputDescription(element) },
  ])
  return {
    type: 'object',
    description,
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties) as Json,
  }
}

/** The schemas of fields that are columns of a record: `TaskCreateInput` and `TaskUpdateInput` are inputs of `Task`. */
function columnProperties({ name }: GraphQLInputObjectType): Json {
  const [, record, operation] = /^(\w+)(Create|Update)Input$/.exec(name) ?? []
  const shape = record === undefined ? null : shapeOf(record)
  const of = operation === 'Create' ? 'CREATE' : 'UPDATE'
  return Object.fromEntries((shape?.columns.shown ?? []).map((column) => [column.name, columnInputSchema(column, of)]))
}

const inputTypeSchema = (type: GraphQLInputObjectType): Json =>
  bodyOf(
    type.description ?? '',
    Object.values(type.getFields()).map((field) => [field.name, field]),
    type.name,
    columnProperties(type),
  )

const enumSchema = (type: GraphQLEnumType): Json => {
  const values = type.getValues()
  const described = values.map(({ name, description }) => `- \`${name}\`: ${description ?? ''}`)
  return {
    type: 'string',
    description: [type.description ?? '', '', ...described].join('\n'),
    enum: values.map(({ name }) => name),
  }
}

const members = (type: GraphQLNamedType, omits: readonly string[]): GraphQLNamedType[] => {
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => getNamedType(field.type))
  return isObjectType(type) ? answeredFields(type, omits).map((field) => getNamedType(field.type)) : []
}

/** The schemas that an operation needs and that nothing else prints, by name; `isKnown` says what is printed or written elsewhere. */
export function schemasOf(
  { declared, field, inputs, body, answer }: OperationApi,
  isKnown: (name: string) => boolean,
): Json {
  const { omits = [], status, id } = declared
  const schemas: Record<string, Json> = {}
  const visit = (type: GraphQLNamedType): void => {
    const { name } = type
    if (isKnown(name) || isSharedSchema(name) || schemas[name] || isCounts(type)) return
    if (isEnumType(type)) schemas[name] = enumSchema(type)
    else if (isInputObjectType(type)) schemas[name] = inputTypeSchema(type)
    else if (isObjectType(type)) schemas[name] = answerSchema(type, omits)
    else return
    for (const member of shapeOf(name) ? [] : members(type, omits)) visit(member)
  }
  if (status !== 204) visit(answer)
  for (const { type, place } of inputs) if (place !== 'version') visit(getNamedType(type))
  if (body && !body.type && !isKnown(body.schema))
    schemas[body.schema] = bodyOf(
      withoutScopes(field.description),
      body.properties.map(({ name, element }: Input) => [name, element]),
      id,
    )
  return schemas
}
