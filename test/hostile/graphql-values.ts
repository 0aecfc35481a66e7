import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'
import type { Sweep } from '../requests/sweep.ts'

type Kind = 'query' | 'mutation' | 'subscription'
type RootField = readonly [kind: Kind, field: GraphQLField<unknown, unknown>]

export const rootFields = (schema: GraphQLSchema): RootField[] => [
  ...Object.values(schema.getQueryType()!.getFields()).map((field) => ['query', field] as const),
  ...Object.values(schema.getMutationType()!.getFields()).map((field) => ['mutation', field] as const),
  ...Object.values(schema.getSubscriptionType()!.getFields()).map((field) => ['subscription', field] as const),
]

const always = [String.raw`"a\u0000"`, String.raw`"\ud800"`]
const wrongOfScalar: Readonly<Record<string, readonly string[]>> = {
  Int: ['"1"', '1.5', '2147483648', '-2147483649', '1e400', 'true', '{}', '[1,2]', '"NaN"'],
  Float: ['"1"', '1e400', 'true', '{}', '[1,2]'],
  Decimal: ['"NaN"', '""', '"1 "', '"0x1"', '"1e1000"', '1e1000', 'true', '{}', '[1,2]'],
  String: ['1', 'true', '{}', '["a","b"]', ...always],
  ID: ['true', '{}', '1.5', '["a","b"]', ...always],
  Boolean: ['1', '"true"', '{}', '[true,false]'],
  DateTime: ['1', 'true', '{}', '"tomorrow"', '"2027-02-30"', '""', '"10000-01-01"', ...always],
  JSON: [
    String.raw`{"a":"\u0000"}`,
    String.raw`{"\ud800":1}`,
    '{"__proto__":1}',
    `${'[['.repeat(50)}${']]'.repeat(50)}`,
  ],
}

/** JSON texts that are not valid for a variable of this type. */
export function wrongValues(type: GraphQLInputType): readonly string[] {
  if (isNonNullType(type)) return ['null', ...wrongValues(type.ofType)]
  if (isListType(type)) return wrongValues(type.ofType).filter((text) => !text.startsWith('[') && text !== 'null')
  if (isEnumType(type)) return ['1', 'true', '{}', '[]', '"NOPE"', '""', '"__proto__"', '"constructor"', ...always]
  if (isInputObjectType(type))
    return ['1', '"a"', 'true', '[[]]', '{"nosuch":1}', '{"__proto__":1}', '{"constructor":1}', ...always]
  return wrongOfScalar[getNamedType(type).name] ?? []
}

/** Values of types with this signature are checked alike: every enum, and every input object, as all others. */
const typeSignature = (type: GraphQLInputType): string => {
  const named = getNamedType(type)
  const kind = isEnumType(named)
    ? 'Enum'
    : isInputObjectType(named)
      ? `Input${named.isOneOf ? ' with one field' : ''}`
      : named.name
  return String(type).replace(named.name, kind)
}

/** Literals that JSON does not have, or that only GraphQL has. */
const wrongLiterals: Readonly<Record<string, readonly string[]>> = {
  Float: ['-1e400', '9'.repeat(400), 'FOO'],
  Decimal: ['-1e1000', '9'.repeat(501), 'FOO'],
  String: ['FOO', '1e400'],
  ID: ['FOO', '1e400'],
  Boolean: ['FOO'],
  DateTime: ['FOO', '1e400', '{a: 1e400}', '["a", "b"]'],
  JSON: ['1e1000', '{a: 1e1000}', '{a: [-1e1000]}', `[${'9'.repeat(501)}]`],
}

export function wrongLiteralsOf(type: GraphQLInputType): readonly string[] {
  const isList = isListType(isNonNullType(type) ? type.ofType : type)
  const more = (wrongLiterals[getNamedType(type).name] ?? []).filter((text) => !isList || !text.startsWith('['))
  return [...wrongValues(type).map((json) => json.replaceAll(/"(\w+)":/g, '$1:')), ...more]
}

export interface Place {
  /** The input object of which it is a field; null: it is an argument. */
  readonly input: string | null
  readonly name: string
  readonly type: GraphQLInputType
  readonly kind: Kind
  readonly field: GraphQLField<unknown, unknown>
  readonly arg: GraphQLArgument
  /** The value of the argument with this literal at the given place. */
  readonly write: (literal: string) => string
  /** What leads to the field from the root: `accountList { data {`, and its end. */
  readonly open: string
  readonly close: string
}

interface NestedField extends Pick<Place, 'open' | 'close'> {
  readonly type: string
  readonly field: GraphQLField<unknown, unknown>
}

/** The fields with arguments below the root, each at the end of the shortest way to it that needs no arguments. */
export function nestedFields(schema: GraphQLSchema): NestedField[] {
  const found: NestedField[] = []
  const known = new Set<GraphQLNamedType>([schema.getQueryType()!])
  const next: { type: GraphQLNamedType; open: string; close: string }[] = [
    { type: schema.getQueryType()!, open: '', close: '' },
  ]
  for (const { type, open, close } of next) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue
    const isRoot = type === schema.getQueryType()
    for (const field of Object.values(type.getFields())) {
      if (!isRoot && field.args.length > 0) found.push({ type: type.name, field, open, close })
      if (field.args.some((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)) continue
      const target = getNamedType(field.type)
      const reached = isAbstractType(target) ? [target, ...schema.getPossibleTypes(target)] : [target]
      for (const one of reached.filter((each) => isCompositeType(each) && !known.has(each))) {
        known.add(one)
        const fragment = one === target ? '' : `... on ${one.name} { `
        next.push({
          type: one,
          open: `${open}${field.name} { ${fragment}`,
          close: `${fragment && ' }'} }${close}`,
        })
      }
    }
  }
  return found
}

/** Every argument, and every field of every input object once. */
export function places(schema: GraphQLSchema): Place[] {
  const known = new Set<string>()
  const below = (place: Place): Place[] => {
    const named = getNamedType(place.type)
    if (!isInputObjectType(named) || known.has(named.name)) return []
    known.add(named.name)
    const fields = Object.values(named.getFields()).map((field): Place => {
      const write = (literal: string) => place.write(`{${field.name}: ${literal}}`)
      return { ...place, input: named.name, name: `${place.name}.${field.name}`, type: field.type, write }
    })
    return fields.flatMap((inner) => [inner, ...below(inner)])
  }
  const roots = rootFields(schema).map(([kind, field]) => ({ kind, type: '', field, open: '', close: '' }))
  const nested = nestedFields(schema).map((field) => ({ kind: 'query' as const, ...field }))
  return [...roots, ...nested].flatMap(({ kind, type, field, open, close }) =>
    field.args.flatMap((arg) => {
      const place = {
        input: null,
        name: `${type && `${type}.`}${field.name}.${arg.name}`,
        open,
        close,
        type: arg.type,
        kind,
        field,
        arg,
        write: (text: string) => text,
      }
      return [place, ...below(place)]
    }),
  )
}

export interface WrongLiteral extends Place {
  readonly literal: string
}

// Operands that are valid for the type but unusual.
const oddOfScalar: Readonly<Record<string, readonly unknown[]>> = {
  Int: [0, -1, 2147483647, -2147483648],
  Float: [0, -0.5, 1e308, -1e308, 5e-324, 2 ** 53, 1e15],
  Decimal: [0, -0.5, 1e308, 5e-324, '12345678901234567890.12345678901234567890', '-1e400', '1e-400'],
  String: ['', '%', '_', '\\', "'; drop table crm.account; --", '😀'.repeat(5000), '\u0001', '$1', 'a'.repeat(100_000)],
  ID: ['0199d1a0-0000-7000-8000-000000000000', '0199D1A0-0000-7000-8000-00000000000F'],
  Boolean: [true, false],
  DateTime: ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2027-01-01', '2027-01-01T00:00:00+14:00'],
  JSON: [{}, { a: null }, { a: { b: [1, 'x', null] } }, { '': '' }, { "a'b": 1e300 }],
}

function oddValues(type: GraphQLInputType): readonly unknown[] {
  if (isNonNullType(type)) return oddValues(type.ofType)
  if (isListType(type)) {
    const items = oddValues(type.ofType)
    return [[], items, ...(items.length > 0 ? [Array.from({ length: 500 }, () => items[0])] : [])]
  }
  if (isEnumType(type)) return type.getValues().map(({ name }) => name)
  return oddOfScalar[getNamedType(type).name] ?? []
}

/** The columns of a filter, and its relations to records of the same or another type. */
export const columnsOf = (filter: GraphQLInputObjectType): GraphQLInputField[] =>
  Object.values(filter.getFields()).filter(({ name }) => !['and', 'or', 'not'].includes(name))

const isFilter = (type: GraphQLNamedType): boolean => isInputObjectType(type) && type.getFields()['and'] !== undefined

/** The conditions on a column: every operator with every unusual operand, and empty conditions; on a relation, empty conditions only. */
function conditionsOn(type: GraphQLNamedType): readonly unknown[] {
  if (!isInputObjectType(type)) return oddValues(type as GraphQLInputType)
  if (isFilter(type)) return [{}, null]
  const operators = Object.values(type.getFields())
  if (isFilter(getNamedType(operators[0]!.type))) return operators.map(({ name }) => ({ [name]: {} }))
  const operands = operators.flatMap(({ name, type: of }) =>
    [null, ...oddValues(of)].map((operand): unknown => ({ [name]: operand })),
  )
  return [...operands, {}, null]
}

/** The operators of a kind of column get every operand at one column, and every other column gets one of them. */
const oddFilters = (filter: GraphQLInputObjectType, sweep: Sweep): Record<string, unknown>[] =>
  columnsOf(filter).flatMap((column) => {
    const type = getNamedType(column.type)
    const signature = isFilter(type) ? 'relation' : type.name
    return sweep
      .choose(`filter ${signature}`, `${filter.name}.${column.name}`, conditionsOn(type))
      .map((condition) => ({ [column.name]: condition }))
  })

export interface Filtered {
  readonly field: GraphQLField<unknown, unknown>
  readonly filter: GraphQLInputObjectType
  readonly tried: readonly Record<string, unknown>[]
}

/** The fields with a filter of columns; that of a subscription is a list of conditions. Those with the same filter compile it alike, so only the first one gets every condition, the others a sample. */
export function filteredFields(schema: GraphQLSchema, sweep: Sweep): Filtered[] {
  return rootFields(schema).flatMap(([kind, field]) =>
    field.args
      .filter(({ name }) => name === 'filter' && kind !== 'subscription')
      .map((arg) => {
        const filter = getNamedType(arg.type) as GraphQLInputObjectType
        const conditions = oddFilters(filter, sweep)
        const some = Math.ceil(conditions.length / 10)
        return { field, filter, tried: sweep.choose(`filter ${filter.name}`, field.name, conditions, some) }
      }),
  )
}

/** The wrong values of an argument that are sent as a variable. */
export const wrongVariables = (
  [kind, field]: RootField,
  { name, type }: GraphQLArgument,
  sweep: Sweep,
): readonly string[] =>
  sweep.choose(`variable ${kind} ${typeSignature(type)}`, `${field.name}.${name}`, wrongValues(type))

/** The wrong literals of arguments and input fields. */
export const wrongLiteralsAt = (places: readonly Place[], sweep: Sweep): WrongLiteral[] =>
  places.flatMap((place) =>
    sweep
      .choose(`literal ${typeSignature(place.type)}`, place.name, wrongLiteralsOf(place.type))
      .map((literal) => ({ ...place, literal })),
  )
