import type { Caller } from '../context.ts'
import type { RequestContext } from '../request.ts'
import type { Told } from './answered-records.ts'
import type { RecordShape } from './definition.ts'
import { TenantPredicate } from './predicate.ts'

/** The record types of a subgraph, by name. */
export type Kinds = ReadonlyMap<string, RecordShape>

/**
 * The given records that the caller can see at this moment. Deleted records are included, because a caller who has seen a record may
 * know that it existed. Throws a `Refusal` when the plan lacks the feature of a record type.
 */
export async function visibleRecords(
  { caller, db }: Pick<RequestContext, 'caller' | 'db'>,
  kinds: Kinds,
  records: Told['records'],
): Promise<Told['records']> {
  const seen: Record<string, readonly string[]> = {}
  for (const [object, ids] of Object.entries(records)) {
    const definition = kinds.get(object)
    // Records of a type that no longer exists are visible to no caller.
    if (!definition) continue
    const scope = new TenantPredicate(caller)
    const wanted = scope.values.add(ids)
    const rows = await db.query<{ id: string }>(
      `select t.id from ${definition.table} t where t.id = any(${wanted}::uuid[]) and ${scope.seen(definition, 't')}`,
      scope.values.list,
    )
    seen[object] = rows.map(({ id }) => id)
  }
  return seen
}

type OwnerIds = Caller['ownerIds']

/** Whether the visibility `now` may exclude a record that the visibility `then` includes. Null includes all owners. */
export const seesLess = (then: OwnerIds, now: OwnerIds): boolean =>
  now !== null && (then === null || then.some((id) => !now.includes(id)))

/** Whether the caller can see all of these records at this moment. */
export async function seesAll(ctx: Pick<RequestContext, 'caller' | 'db'>, kinds: Kinds, records: Told['records']) {
  const seen = await visibleRecords(ctx, kinds, records)
  return Object.entries(records).every(([object, ids]) => ids.length === (seen[object]?.length ?? 0))
}
