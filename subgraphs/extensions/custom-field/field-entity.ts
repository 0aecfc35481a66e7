import type { FieldProblem } from '../../kernel/errors.ts'
import { customObjectName, recordTypeIn } from '../../kernel/record/custom-object.ts'
import type { RecordShape, SerializedRule } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { Values } from '../../kernel/record/predicate.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { customRecordOf } from '../custom-record/custom-record.record.ts'
import type { CustomField } from './custom-field.ts'

/** The record types of the platform that can have custom fields. Besides them there are custom objects, `custom:site_visit`. */
export const builtInEntities = ['LEAD', 'CONTACT', 'ACCOUNT', 'OPPORTUNITY', 'PRODUCT', 'QUOTE'] as const

/** A record type that can have custom fields. */
export type FieldEntity = (typeof builtInEntities)[number] | `custom:${string}`

const isBuiltIn = (entity: string): boolean => (builtInEntities as readonly string[]).includes(entity)

export function entityProblems({ entity }: Pick<CustomField, 'entity'>): FieldProblem[] {
  if (isBuiltIn(entity) || customObjectName(entity) !== null) return []
  const message = `entity must be one of ${builtInEntities.join(', ')}, or custom: and the name of a custom object.`
  return [{ path: 'entity', code: 'NOT_ALLOWED', message }]
}

const unknownObject = (): FieldProblem => ({
  path: 'entity',
  code: 'UNKNOWN_REFERENCE',
  message: 'entity must be custom: and the name of a custom object of the organization.',
})

/** A field is added to an object, and restored, while the object exists. */
export const objectExists: SerializedRule<CustomField> = {
  concerns: (_ctx, { entity, deletedAt }, previous) =>
    deletedAt === null && previous?.deletedAt !== null && customObjectName(entity) !== null,
  async enforce({ db, caller }, { entity }) {
    const found = await db.query(
      `select 1 from extensions.custom_object where organization_id = $1 and name = $2 and deleted_at is null`,
      [caller.organizationId, customObjectName(entity)],
    )
    if (found.length > 0) return []
    return [unknownObject()]
  },
}

/** The table with the records of an entity, and the condition on its alias `t` that they are of it. */
export function recordsOfEntity(
  entity: string,
  values: Values,
): { readonly table: string; readonly condition: string } {
  const name = customObjectName(entity)
  return name === null
    ? { table: recordType(entity.toLowerCase())().table, condition: 'true' }
    : { table: 'extensions.custom_record', condition: `t.object = ${values.add(name)}` }
}

/** The shape of the records of an entity, without custom fields. */
export function builtInShapeOf(entity: string): RecordShape {
  const name = customObjectName(entity)
  return name === null
    ? recordType(entity.toLowerCase())()
    : customRecordOf({ name, label: name, nameField: null, formerNameFields: [] })
}

/** The shape of the records of an entity. Those of a deleted object have one without fields, for work on their values. */
export function shapeOfEntity(ctx: Pick<RequestContext, 'shapes'>, entity: string): RecordShape {
  if (customObjectName(entity) !== null) return recordTypeIn(ctx, entity) ?? builtInShapeOf(entity)
  return shapeFor(ctx, builtInShapeOf(entity))
}

/** The problem of an entity that the organization does not have, as it is known at the start of the operation. */
export function knownEntityProblems(ctx: Pick<RequestContext, 'shapes'>, entity: string): FieldProblem[] {
  const problems = entityProblems({ entity })
  if (problems.length > 0 || isBuiltIn(entity) || recordTypeIn(ctx, entity)) return problems
  return [unknownObject()]
}
