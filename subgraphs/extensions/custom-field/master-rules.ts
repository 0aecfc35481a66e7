import { Refusal } from '../../kernel/errors.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import type { SerializedRule } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { detailLevelsMax } from './bounds.ts'
import type { CustomField } from './custom-field.ts'
import { lookupOf } from './lookup-rules.ts'

type Rule = SerializedRule<CustomField>

const isMaster = ({ fieldType }: CustomField): boolean => fieldType === 'MASTER_DETAIL'

const appears = (next: CustomField, previous: CustomField | null): boolean =>
  isMaster(next) && next.deletedAt === null && previous?.deletedAt !== null

/** The record types of which the records of a type are details, by that type. A deleted object keeps its fields, and can be restored. */
async function mastersOf({ db, caller }: RequestContext, next: CustomField): Promise<Map<string, string[]>> {
  const rows = await db.query<{ entity: string; to: string }>(
    `select entity, coalesce(lookup_object, lower(lookup_entity)) as "to" from extensions.field_definition
     where organization_id = $1 and field_type = 'MASTER_DETAIL' and deleted_at is null and id <> $2`,
    [caller.organizationId, next.id],
  )
  const own = { entity: next.entity, to: lookupOf(next).to }
  const byEntity = Map.groupBy([...rows, own], ({ entity }) => entity)
  return new Map([...byEntity].map(([entity, found]) => [entity, found.map(({ to }) => to)]))
}

/** How many levels of details end with the record type: 0 of one without masters; null if its records would be details of themselves. */
function levelOf(
  masters: ReadonlyMap<string, readonly string[]>,
  type: string,
  below: readonly string[] = [],
): number | null {
  if (below.includes(type)) return null
  const above = (masters.get(type) ?? []).map((master) => levelOf(masters, master, [...below, type]))
  if (above.length === 0) return 0
  return above.includes(null) ? null : 1 + Math.max(...(above as number[]))
}

/** No record is a detail of itself, and details are at most three levels deep: who sees them follows from every record above. */
export const mastersAreFew: Rule = {
  concerns: (_ctx, next, previous) => appears(next, previous),
  async enforce(ctx, next) {
    const masters = await mastersOf(ctx, next)
    const path = next.lookupObject === null ? 'lookupEntity' : 'lookupObject'
    for (const type of masters.keys()) {
      const level = levelOf(masters, type)
      if (level === null)
        return [
          { path, code: 'CIRCULAR', message: 'A record must not be a detail of itself, also not through others.' },
        ]
      if (level <= detailLevelsMax) continue
      const message = `Details must be at most ${detailLevelsMax} levels deep; those of ${type} would be deeper.`
      return [{ path, code: 'TOO_DEEP', message }]
    }
    return []
  },
}

/** Who sees a record follows from its masters, so no record is without one: a field is added, and deleted, while the object has no records. */
export const detailsHaveMasters: Rule = {
  concerns: (_ctx, next, previous) =>
    isMaster(next) && (next.deletedAt === null) !== (previous !== null && previous.deletedAt === null),
  async enforce({ db, caller }, { entity }) {
    const found = await db.query(
      'select from extensions.custom_record where organization_id = $1 and object = $2 and deleted_at is null limit 1',
      [caller.organizationId, customObjectName(entity)],
    )
    if (found.length === 0) return []
    const message = `A MASTER_DETAIL is added to an object, and deleted, while it has no records; delete those of ${entity} first.`
    throw new Refusal('HAS_DEPENDENTS', message)
  },
}

/** A detail is deleted with its master, however many details that has, so no lookup restricts its deletion. */
export const detailsRestrictNothing: Rule = {
  concerns: (_ctx, next, previous) =>
    next.deletedAt === null &&
    (isMaster(next) ? appears(next, previous) : next.lookupDeleteBehavior === 'RESTRICT' && next.lookupObject !== null),
  async enforce({ db, caller }, next) {
    if (isMaster(next)) {
      const usedBy = await db.query<{ id: string; name: string }>(
        `select 'custom_field' as object, id, name from extensions.field_definition
         where organization_id = $1 and lookup_object = $2 and lookup_delete_behavior = 'RESTRICT' and deleted_at is null
         order by created_at, id limit 20`,
        [caller.organizationId, next.entity],
      )
      if (usedBy.length === 0) return []
      const message =
        'A LOOKUP restricts the deletion of these records, which would be deleted with their master; change it first.'
      throw new Refusal('HAS_DEPENDENTS', message, { usedBy })
    }
    const masters = await db.query(
      `select from extensions.field_definition
       where organization_id = $1 and entity = $2 and field_type = 'MASTER_DETAIL' and deleted_at is null limit 1`,
      [caller.organizationId, next.lookupObject],
    )
    if (masters.length === 0) return []
    const message =
      'lookupDeleteBehavior must be CLEAR, because records of lookupObject are details, which are deleted with their master.'
    return [{ path: 'lookupDeleteBehavior', code: 'NOT_ALLOWED', message }]
  },
}
