import { getMetadataStorage } from 'type-graphql'
import type { RecordShape } from './definition.ts'
import { recordFieldOf } from './named-records.ts'
import { recordNamed, recordTypeNames } from './record-registry.ts'

const typeNameOf = (type: unknown): string | undefined =>
  getMetadataStorage().objectTypes.find(({ target }) => target === type)?.name

/** The type of the record that a resolver reads as the field of a type, also one of another subgraph. */
function resolvedType(type: string, field: string): string | undefined {
  const { fieldResolvers, resolverClasses } = getMetadataStorage()
  const found = fieldResolvers.find(
    ({ schemaName, target }) =>
      schemaName === field &&
      typeNameOf(resolverClasses.find((one) => one.target === target)?.getObjectType()) === type,
  )
  return found?.getType && typeNameOf(found.getType())
}

/**
 * The record type, or `user`, of the ids in a column: that of the field beside it in the graph, `product` for `productId`. Null if the graph
 * has none.
 */
export function recordTypeOfIds({ entity, relations = {} }: RecordShape, name: string): string | null {
  const relation = Object.values(relations).find(({ by }) => by === name)
  if (relation) return relation.to().object
  const declared = getMetadataStorage().fieldExtensions.find(
    ({ target, fieldName }) => target === entity && fieldName === name,
  )?.extensions['namesRecord'] as string | undefined
  if (declared) return declared
  const type = resolvedType((entity as { name: string }).name, recordFieldOf(name))
  if (!type) return null
  return recordTypeNames().find((object) => typeNameOf(recordNamed(object)!.entity) === type) ?? null
}
