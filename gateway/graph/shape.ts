import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
  type GraphQLCompositeType,
  type GraphQLLeafType,
  type GraphQLOutputType,
  type SelectionSetNode,
} from 'graphql'
import { collectFields, selectionSetsOf, type SelectionContext } from './collect.ts'
import { pathBelow, type Fetched } from './fetched.ts'

export type Data = Record<string, unknown>

/** How a value is completed. A null at a `nonNull` position makes its parent null. */
export type ValueShape = { readonly nonNull: boolean; readonly typeName: string } & (
  | { readonly kind: 'leaf'; readonly isValid: (value: unknown) => boolean }
  | { readonly kind: 'list'; readonly item: ValueShape }
  | { readonly kind: 'object'; readonly object: ObjectShape }
  /** The data is the answer. */
  | { readonly kind: 'answer' }
)

export interface FieldShape {
  /** The response name of the client. */
  readonly key: string
  /** The name in the data. */
  readonly from: string
  readonly parentName: string
  /** Every object inherits a property of this name, so the lookup must check for an own property. */
  readonly inherited: boolean
  /** Null for `__typename` and introspection, which are not part of the data. */
  readonly value: ValueShape | null
  readonly isTypename: boolean
}

export interface TypeShape {
  readonly type: GraphQLCompositeType
  readonly fields: readonly FieldShape[]
}

const isInteger = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e21

const validityOfScalar: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: isInteger,
  Float: (value) => typeof value === 'number' && Number.isFinite(value),
  String: (value) => typeof value === 'string',
  ID: (value) => typeof value === 'string' || isInteger(value),
  Boolean: (value) => typeof value === 'boolean',
}

function validityOf(type: GraphQLLeafType): (value: unknown) => boolean {
  if (isEnumType(type)) {
    const values = new Set<unknown>(type.getValues().map(({ name }) => name))
    return (value) => values.has(value)
  }
  return (isSpecifiedScalarType(type) && validityOfScalar[type.name]) || (() => true)
}

interface FetchedField {
  readonly path: string
  readonly sources: readonly (readonly SelectionSetNode[])[]
}

export interface ShapeContext extends SelectionContext {
  /** Null if it is not known what the data contains. */
  readonly fetched: Fetched | null
}

/** The shape of one selection for each possible type, compiled when that type first occurs. */
export class ObjectShape {
  readonly type: GraphQLCompositeType
  private readonly reading: ShapeContext
  private readonly selectionSets: readonly SelectionSetNode[]
  private readonly path: string
  /** What each fetch selects here. */
  private readonly sources: readonly (readonly SelectionSetNode[])[]
  private readonly ofType = new Map<string, TypeShape | null>()

  constructor(
    reading: ShapeContext,
    type: GraphQLCompositeType,
    selectionSets: readonly SelectionSetNode[],
    path = '',
    sources: ObjectShape['sources'] = [],
  ) {
    this.reading = reading
    this.type = type
    this.selectionSets = selectionSets
    this.path = path
    this.sources = [...sources, ...(reading.fetched?.at(path) ?? [])]
  }

  /** Null if clients cannot see a composite type of this name. */
  of(typename: string): TypeShape | null {
    const known = this.ofType.get(typename)
    if (known !== undefined) return known
    const type = this.reading.schema.getType(typename)
    const shape = isCompositeType(type) ? this.compile(type) : null
    this.ofType.set(typename, shape)
    return shape
  }

  private compile(type: GraphQLCompositeType): TypeShape {
    const collected = collectFields(this.reading, type, this.selectionSets)
    const fields = Array.from(collected.values(), ({ key, name, parentName, nodes }): FieldShape => {
      const field = 'getFields' in type ? type.getFields()[name] : undefined
      const value = field ? this.valueShape(field.type, selectionSetsOf(nodes), this.fetchedAs(type, key)) : null
      const inherited = key in Object.prototype
      const clientKey = this.reading.clientNames?.get(key) ?? key
      return { key: clientKey, from: key, parentName, inherited, value, isTypename: name === '__typename' }
    })
    return { type, fields }
  }

  /** What each fetch that selects this field of the type selects below it. */
  private fetchedAs(type: GraphQLCompositeType, key: string): FetchedField {
    const { fetched } = this.reading
    const found = fetched ? this.sources.map((sets) => collectFields(fetched.reading, type, sets).get(key)) : []
    return {
      path: pathBelow(this.path, key),
      sources: found.flatMap((field) => (field ? [selectionSetsOf(field.nodes)] : [])),
    }
  }

  private valueShape(
    type: GraphQLOutputType,
    selectionSets: readonly SelectionSetNode[],
    { path, sources }: FetchedField,
  ): ValueShape {
    const nullable = isNonNullType(type) ? type.ofType : type
    const common = { nonNull: isNonNullType(type), typeName: String(nullable) }
    const named = getNamedType(nullable)
    if (isCompositeType(named) && this.reading.fetched?.isAnswer(path, named, this.reading, selectionSets, sources))
      return { ...common, kind: 'answer' }
    if (isListType(nullable))
      return { ...common, kind: 'list', item: this.valueShape(nullable.ofType, selectionSets, { path, sources }) }
    if (isLeafType(named)) return { ...common, kind: 'leaf', isValid: validityOf(named) }
    const object = new ObjectShape(this.reading, named, selectionSets, path, sources)
    return { ...common, kind: 'object', object }
  }
}
