import {
  getNullableType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLScalarType,
  isNonNullType,
  isObjectType,
  type GraphQLSchema,
} from 'graphql'
import type { RecordShape } from '../record/definition.ts'

/** A list of texts that PostgreSQL has returned. */
const StoredTexts = new GraphQLScalarType({ name: 'StoredTexts__' })

/**
 * Compiles the columns with lists of texts as one value. The compiled code would otherwise call two functions for each text, to check
 * values that were checked when they were stored; that took a tenth of the time of a list of records.
 */
export function compileTextListsAsValues(schema: GraphQLSchema, entities: Readonly<Record<string, RecordShape>>): void {
  for (const [typeName, { columns }] of Object.entries(entities)) {
    const type = schema.getType(typeName)
    if (!isObjectType(type)) continue
    for (const { name, kind } of columns.stored) {
      const field = type.getFields()[name]
      if (kind !== 'textList' || !field || field.resolve || !(getNullableType(field.type) instanceof GraphQLList))
        continue
      field.type = isNonNullType(field.type) ? new GraphQLNonNull(StoredTexts) : StoredTexts
    }
  }
}
