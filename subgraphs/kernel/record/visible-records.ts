import type { Caller } from '../context.ts'
import type { RequestContext } from '../request.ts'
import type { DisclosedRecords } from './answered-records.ts'
import { customObjectName } from './custom-object.ts'
import type { RecordShape } from './definition.ts'
import { TenantPredicate } from './predicate.ts'
import { shapeFor, type OrganizationShapes } from './shape-source.ts'

/** The record types of a subgraph, by name. */
export type RecordTypes = Pick<ReadonlyMap<string, RecordShape>, 'get' | 'has'>

/** These record types, and the custom objects of an organization. */
export const withCustomObjects = (types: RecordTypes, shapes: OrganizationShapes | null): RecordTypes => ({
  has: (object) => types.has(object) || customObjectName(object) !== null,
  get: (object) => {
    const type = types.get(object)
    return type ? shapeFor({ shapes }, type) : ((shapes?.custom(object) ?? undefined) as RecordShape | undefined)
  },
})

/**
 * The given records that the caller can see at this moment. Deleted records are included, because a caller who has seen a record may
 * know that it existed. Throws a `Refusal` when the plan lacks the feature of a record type.
 */
export async function visibleRecords(
  { caller, db }: Pick<RequestContext, 'caller' | 'db'>,
  recordTypes: RecordTypes,
  records: DisclosedRecords['records'],
): Promise<DisclosedRecords['records']> {
  const visible: Record<string, readonly string[]> = {}
  for (const [object, ids] of Object.entries(records)) {
    const definition = recordTypes.get(object)
    // Records of a type that no longer exists are visible to no caller.
    if (!definition) continue
    const predicate = new TenantPredicate(caller)
    const idList = predicate.values.add(ids)
    const rows = await db.query<{ id: string }>(
      `select t.id from ${definition.table} t where t.id = any(${idList}::uuid[]) and ${predicate.visible(definition, 't')}`,
      predicate.values.list,
    )
    visible[object] = rows.map(({ id }) => id)
  }
  return visible
}

type OwnerIds = Caller['ownerIds']

/** Whether the visibility `now` can exclude a record that the visibility `then` includes. Null includes all owners. */
export const isVisibilityReduced = (then: OwnerIds, now: OwnerIds): boolean =>
  now !== null && (then === null || then.some((id) => !now.includes(id)))

/** Whether the caller can see all of these records at this moment. */
export async function seesAll(
  ctx: Pick<RequestContext, 'caller' | 'db'>,
  recordTypes: RecordTypes,
  records: DisclosedRecords['records'],
) {
  const visible = await visibleRecords(ctx, recordTypes, records)
  return Object.entries(records).every(([object, ids]) => ids.length === (visible[object]?.length ?? 0))
}
