import { isObjectType, type GraphQLSchema } from 'graphql'
import type { RecordShape } from './definition.ts'

/** Resolves the fields that columns declare with `user`. A hidden column is null, and so is its user. */
export function resolveUsers(
  schema: GraphQLSchema,
  definitions: Iterable<Pick<RecordShape, 'entity' | 'columns'>>,
): void {
  for (const { entity, columns } of definitions) {
    const type = schema.getType((entity as { name: string }).name)
    if (!isObjectType(type)) continue
    for (const { name, user } of columns.stored) {
      if (!user) continue
      type.getFields()[user.field]!.resolve = (record: Readonly<Record<string, unknown>>) => {
        const id = record[name]
        return typeof id === 'string' ? { id } : null
      }
    }
  }
}
