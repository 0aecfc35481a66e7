import {
  getNamedType,
  getNullableType,
  GraphQLNonNull,
  GraphQLString,
  isLeafType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql'
import type { RecordShape } from '../record/definition.ts'
import { Decimal, Json } from '../record/scalars.ts'

/** Scalars whose values are returned as they are. */
const unchanged: ReadonlySet<string> = new Set([Decimal.name, Json.name])

/**
 * The compiled code passes a value of a built-in scalar on, and does not check it. For a value of another scalar it calls two functions, and
 * creates the path and the places of an error that there is not; for a list it does so for each item.
 */
const uncheckedOf = (type: GraphQLOutputType): GraphQLOutputType =>
  isNonNullType(type) ? new GraphQLNonNull(GraphQLString) : GraphQLString

/**
 * Compiles values that need no conversion as values of a built-in scalar: those of stored columns, which were checked when they were stored and
 * which rows contain as clients get them, and those of the scalars in `unchanged`. Checking them took 32 us for a list of 50 records with 49 fields.
 */
export function compileWithoutChecks(schema: GraphQLSchema, entities: Readonly<Record<string, RecordShape>>): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    const stored = new Set(entities[type.name]?.columns.stored.map(({ name }) => name))
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type)
      const isValue = getNullableType(field.type) === named
      const isStored = stored.has(field.name) && !field.resolve && isLeafType(named)
      const isUnchanged = unchanged.has(named.name) && isValue
      if (isUnchanged || (isStored && !(isValue && isSpecifiedScalarType(named)))) field.type = uncheckedOf(field.type)
    }
  }
}
