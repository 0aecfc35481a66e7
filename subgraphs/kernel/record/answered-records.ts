import type { Caller } from '../context.ts'
import type { RequestContext } from '../request.ts'
import type { RecordShape } from './definition.ts'
import { TenantPredicate } from './predicate.ts'

/** The records with restricted visibility in an answer: their ids by record type, and whether the answer has figures over such records. */
export interface Told {
  readonly records: Readonly<Record<string, readonly string[]>>
  readonly hasFigures: boolean
}

const hasRestrictedVisibility = ({ visibleBy, visibleThrough, entitlement }: RecordShape): boolean =>
  visibleBy.length > 0 || visibleThrough !== undefined || entitlement !== undefined

/** The record types of a subgraph, by name. */
export type Kinds = ReadonlyMap<string, RecordShape>

/** Collects the records of an answer while the answer is built. */
export class AnsweredRecords {
  readonly #ids = new Map<string, Set<string>>()
  #hasFigures = false

  constructor(private readonly kinds: Kinds) {}

  record(definition: RecordShape, id: unknown): void {
    if (!hasRestrictedVisibility(definition)) return
    if (!this.kinds.has(definition.object))
      throw new Error(`No resource of the subgraph declares the record type ${definition.object}`)
    const ids = this.#ids.get(definition.object)
    if (ids) ids.add(id as string)
    else this.#ids.set(definition.object, new Set([id as string]))
  }

  records(definition: RecordShape, rows: readonly { readonly id?: unknown }[]): void {
    for (const { id } of rows) this.record(definition, id)
  }

  figure(definition: RecordShape): void {
    if (hasRestrictedVisibility(definition)) this.#hasFigures = true
  }

  told(): Told {
    return {
      records: Object.fromEntries([...this.#ids].map(([object, ids]) => [object, [...ids]])),
      hasFigures: this.#hasFigures,
    }
  }
}

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
