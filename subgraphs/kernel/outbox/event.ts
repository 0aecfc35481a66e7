import { actorIdOf } from '../context.ts'
import type { RequestContext } from '../request.ts'
import type { Values } from '../record/predicate.ts'
import { newId } from '../ids.ts'

/** Something that happened in an organization: a row of the transaction that did it. All that reacts starts from this row. */
export interface EventDraft {
  readonly type: string
  /** Schema version of `data` for the type. */
  readonly version: number
  readonly object: string
  readonly recordId: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * `insert into kernel.event ...` as part of a statement. With `when`, the rows appear only if that query of the same
 * statement gives a row.
 */
export function eventInsert(ctx: RequestContext, values: Values, events: readonly EventDraft[], when?: string): string {
  const organization = values.add(ctx.caller.organizationId)
  const actor = values.add(actorIdOf(ctx.caller))
  const now = values.add(ctx.clock.now().toISOString())
  const rows = events.map(
    ({ type, version, object, recordId, data }) =>
      `select ${organization}::uuid, ${values.add(newId())}::uuid, ${values.add(type)}, ${values.add(version)}::int, ${now}::timestamptz, ${values.add(object)}, ${values.add(recordId)}::uuid, ${values.add(JSON.stringify(data))}::jsonb, ${actor}::uuid${when ? ` from ${when}` : ''}`,
  )
  return `insert into kernel.event (organization_id, id, type, version, occurred_at, object, record_id, data, actor_id) ${rows.join(' union all ')}`
}
