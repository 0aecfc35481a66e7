import { isObjectType, type GraphQLSchema } from 'graphql'
import type { Column } from './column.ts'
import type { RecordShape } from './definition.ts'

/** Resolves the fields that columns declare with `user`. A hidden column is null, and so is its user. */
export function resolveUsers(
  schema: GraphQLSchema,
  definitions: Iterable<Pick<RecordShape, 'entity' | 'columns'>>,
): void {
  for (const { entity, columns } of definitions) {
    resolveUsersOf(schema, (entity as { name: string }).name, columns.stored)
    for (const { structure } of columns.structured) resolveUsersOf(schema, structure!.name, structure!.parts)
  }
}

function resolveUsersOf(schema: GraphQLSchema, typeName: string, columns: readonly Column[]): void {
  const type = schema.getType(typeName)
  if (!isObjectType(type)) return
  for (const { name, user } of columns) {
    if (!user) continue
    type.getFields()[user.field]!.resolve = (record: Readonly<Record<string, unknown>>) => {
      const id = record[name]
      return typeof id === 'string' ? { id } : null
    }
  }
}
