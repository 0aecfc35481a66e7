import { actorIdOf } from '../kernel/context.ts'
import { eventInsert } from '../kernel/outbox/event.ts'
import { Values } from '../kernel/record/predicate.ts'
import type { RequestContext } from '../kernel/request.ts'
import { userEvents } from './user/user.events.ts'

const declared: ReadonlySet<string> = new Set([userEvents].flatMap(({ events }) => Object.keys(events!.types)))

interface IdentityChange {
  /** `<object>.<past participle>` */
  readonly type: `${string}.${string}`
  readonly record: { readonly id: string }
  readonly previous?: object
  readonly changedFields?: readonly string[]
}

/** What differs, but for the time of the change. */
export const fieldsChanged = <T extends object>(previous: T, record: T): (keyof T & string)[] =>
  (Object.keys(record) as (keyof T & string)[]).filter(
    (name) => name !== 'updatedAt' && record[name] !== previous[name],
  )

/** Appends the event of a change of identity to the transaction of `ctx`, in the form of every record's events. */
export async function appendEvent(ctx: RequestContext, change: IdentityChange): Promise<void> {
  const { type, record, previous = null, changedFields = null } = change
  if (!declared.has(type)) throw new Error(`Identity does not declare the event type ${type}`)
  const object = type.split('.', 1)[0]!
  const actorId = actorIdOf(ctx.caller)
  const data = { object, id: record.id, record, previous, changedFields, actorId }
  const values = new Values()
  await ctx.db.query(eventInsert(ctx, values, [{ type, version: 1, object, recordId: record.id, data }]), values.list)
}
