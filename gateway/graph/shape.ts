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

export type Data = Record<string, unknown>

/** How a value is completed. A null at a `nonNull` position makes its parent null. */
export type ValueShape = { readonly nonNull: boolean; readonly typeName: string } & (
  | { readonly kind: 'leaf'; readonly isValid: (value: unknown) => boolean }
  | { readonly kind: 'list'; readonly item: ValueShape }
  | { readonly kind: 'object'; readonly object: ObjectShape }
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

/** The shape of one selection for each possible type, compiled when that type first occurs. */
export class ObjectShape {
  readonly type: GraphQLCompositeType
  private readonly reading: SelectionContext
  private readonly selectionSets: readonly SelectionSetNode[]
  private readonly ofType = new Map<string, TypeShape | null>()

  constructor(reading: SelectionContext, type: GraphQLCompositeType, selectionSets: readonly SelectionSetNode[]) {
    this.reading = reading
    this.type = type
    this.selectionSets = selectionSets
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
      const value = field ? this.valueShape(field.type, selectionSetsOf(nodes)) : null
      const inherited = key in Object.prototype
      const clientKey = this.reading.clientNames?.get(key) ?? key
      return { key: clientKey, from: key, parentName, inherited, value, isTypename: name === '__typename' }
    })
    return { type, fields }
  }

  private valueShape(type: GraphQLOutputType, selectionSets: readonly SelectionSetNode[]): ValueShape {
    const nullable = isNonNullType(type) ? type.ofType : type
    const common = { nonNull: isNonNullType(type), typeName: String(nullable) }
    if (isListType(nullable)) return { ...common, kind: 'list', item: this.valueShape(nullable.ofType, selectionSets) }
    const named = getNamedType(nullable)
    if (isLeafType(named)) return { ...common, kind: 'leaf', isValid: validityOf(named) }
    return { ...common, kind: 'object', object: new ObjectShape(this.reading, named, selectionSets) }
  }
}
