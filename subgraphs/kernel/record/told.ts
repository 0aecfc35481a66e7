import type { Caller } from '../context.ts'
import type { RequestContext } from '../request.ts'
import type { RecordShape } from './definition.ts'
import { Scope } from './predicate.ts'

/** What an answer tells of records that not everybody in the organization sees: their ids by kind, and whether it has figures over them. */
export interface Told {
  readonly records: Readonly<Record<string, readonly string[]>>
  readonly hasFigures: boolean
}

const isSeenBySome = ({ visibleBy, visibleThrough, entitlement }: RecordShape): boolean =>
  visibleBy.length > 0 || visibleThrough !== undefined || entitlement !== undefined

/** The kinds of records of a subgraph, by name. */
export type Kinds = ReadonlyMap<string, RecordShape>

/** Notes what an answer tells while it is made. */
export class Telling {
  readonly #ids = new Map<string, Set<string>>()
  #hasFigures = false

  constructor(private readonly kinds: Kinds) {}

  record(definition: RecordShape, id: unknown): void {
    if (!isSeenBySome(definition)) return
    if (!this.kinds.has(definition.object)) throw new Error(`No resource of the subgraph names ${definition.object}`)
    const ids = this.#ids.get(definition.object)
    if (ids) ids.add(id as string)
    else this.#ids.set(definition.object, new Set([id as string]))
  }

  records(definition: RecordShape, rows: readonly { readonly id?: unknown }[]): void {
    for (const { id } of rows) this.record(definition, id)
  }

  figure(definition: RecordShape): void {
    if (isSeenBySome(definition)) this.#hasFigures = true
  }

  told(): Told {
    return {
      records: Object.fromEntries([...this.#ids].map(([object, ids]) => [object, [...ids]])),
      hasFigures: this.#hasFigures,
    }
  }
}

/**
 * Those of these records that the caller sees by now, deleted or not: who saw a record may know that it was. Throws a `Refusal`
 * where a feature of the plan is missing.
 */
export async function inSight(
  { caller, db }: Pick<RequestContext, 'caller' | 'db'>,
  kinds: Kinds,
  records: Told['records'],
): Promise<Told['records']> {
  const seen: Record<string, readonly string[]> = {}
  for (const [object, ids] of Object.entries(records)) {
    const definition = kinds.get(object)
    // Of a kind that is no more nobody sees anything.
    if (!definition) continue
    const scope = new Scope(caller)
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

/** Whether there may be records that are seen by those owners, and not by these. Null sees everybody's. */
export const seesLess = (then: OwnerIds, now: OwnerIds): boolean =>
  now !== null && (then === null || then.some((id) => !now.includes(id)))

/** Whether the caller sees all of these records by now. */
export async function seesAll(ctx: Pick<RequestContext, 'caller' | 'db'>, kinds: Kinds, records: Told['records']) {
  const seen = await inSight(ctx, kinds, records)
  return Object.entries(records).every(([object, ids]) => ids.length === (seen[object]?.length ?? 0))
}
