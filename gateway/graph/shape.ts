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
import { collectFields, selectionSetsOf, type Reading } from './collect.ts'

export type Data = Record<string, unknown>

/** How a value is completed. The null of a `nonNull` value nullifies what encloses it. */
export type ValueShape = { readonly nonNull: boolean; readonly typeName: string } & (
  | { readonly kind: 'leaf'; readonly isValid: (value: unknown) => boolean }
  | { readonly kind: 'list'; readonly item: ValueShape }
  | { readonly kind: 'object'; readonly object: ObjectShape }
)

export interface FieldShape {
  /** The client's name for it. */
  readonly key: string
  /** What it is called in the data. */
  readonly from: string
  readonly parentName: string
  /** The name of the key is one that every object inherits, so a lookup must ask for an own property. */
  readonly inherited: boolean
  /** Null for `__typename` and for introspection, which do not come from data. */
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

/** What one selection of a composite type becomes for each type that may answer, worked out when that type first does. */
export class ObjectShape {
  readonly type: GraphQLCompositeType
  private readonly reading: Reading
  private readonly selectionSets: readonly SelectionSetNode[]
  private readonly ofType = new Map<string, TypeShape | null>()

  constructor(reading: Reading, type: GraphQLCompositeType, selectionSets: readonly SelectionSetNode[]) {
    this.reading = reading
    this.type = type
    this.selectionSets = selectionSets
  }

  /** Null where the name is not that of a composite type which clients may see. */
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
