import { isAdministrator, managersOf, ownersToNotify, recipientsOf } from '../../../identity/public.ts'
import type { Sql } from '../../../kernel/database/sql.ts'
import type { LoggedEvent } from '../../../kernel/outbox/event-feed.ts'
import { readReference } from '../../../kernel/record/read.ts'
import { recordType } from '../../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { kindsOf } from '../catalog/catalog.ts'
import type { NotificationKind, Subject, Values } from '../catalog/notification-kind.ts'

/** An event that may notify somebody, with the record that it is about. */
export interface Candidate {
  readonly kind: NotificationKind
  readonly event: LoggedEvent
  readonly subject: Subject
  readonly record: Values
  /** Ids of the users who get it if they may. */
  readonly userIds: readonly string[]
}

type WithoutUsers = Omit<Candidate, 'userIds'>

/** The notifications that follow from these events, with the users whom the records name, without the user who acted. */
export async function candidatesOf(ctx: RequestContext, events: readonly LoggedEvent[]): Promise<Candidate[]> {
  const found = await Promise.all(
    events.flatMap((event) =>
      kindsOf(event.type)
        .filter(({ when }) => when?.(event) ?? true)
        .map((kind) => withSubject(ctx, kind, event)),
    ),
  )
  const existing = found.filter((candidate) => candidate !== null)
  const managers = await managersOf(ctx.db, ctx.caller.organizationId, ownersOf(existing))
  return existing.flatMap((candidate) => {
    const userIds = usersOf(candidate, managers)
    return userIds.length > 0 || candidate.kind.isForAdministrators ? [{ ...candidate, userIds }] : []
  })
}

/** The candidates and all who may get them. What is for administrators only goes to the owners if the record names no administrator. */
export async function withRecipients(sql: Sql, organizationId: string, candidates: readonly Candidate[]) {
  const named = await recipientsOf(sql, organizationId, [...new Set(candidates.flatMap(({ userIds }) => userIds))])
  const administrators = new Set(named.filter(({ role }) => isAdministrator(role)).map(({ id }) => id))
  const isTold = ({ kind, userIds }: Candidate): boolean =>
    !kind.isForAdministrators || userIds.some((id) => administrators.has(id))
  const owners = candidates.every(isTold) ? [] : await ownersToNotify(sql, organizationId)
  const ownerIds = owners.map(({ id }) => id)
  return {
    candidates: candidates.map((each) => (isTold(each) ? each : { ...each, userIds: ownerIds })),
    recipients: new Map([...named, ...owners].map((recipient) => [recipient.id, recipient])),
  }
}

/** Null if the record does not exist. */
async function withSubject(
  ctx: RequestContext,
  kind: NotificationKind,
  event: LoggedEvent,
): Promise<WithoutUsers | null> {
  if (!kind.about) {
    const record = (event.data['record'] ?? {}) as Values
    return { kind, event, subject: { object: event.object, id: event.recordId }, record }
  }
  const subject = kind.about(event)
  const record = await readReference(ctx, recordType(subject.object)(), subject.id, columnsOf(kind))
  return record ? { kind, event, subject, record } : null
}

const columns = new Map<NotificationKind, ReadonlySet<string>>()

/** The same set for each call, because sets are the keys of caches. */
function columnsOf(kind: NotificationKind): ReadonlySet<string> {
  let names = columns.get(kind)
  if (!names) columns.set(kind, (names = new Set([...kind.to, ...(kind.nameField ? [kind.nameField] : []), 'ownerId'])))
  return names
}

const ownersOf = (candidates: readonly WithoutUsers[]): string[] => [
  ...new Set(
    candidates.flatMap(({ kind, record }) =>
      kind.others === 'MANAGERS_OF_OWNER' && typeof record['ownerId'] === 'string' ? [record['ownerId']] : [],
    ),
  ),
]

function usersOf({ kind, event, record }: WithoutUsers, managers: ReadonlyMap<string, readonly string[]>): string[] {
  const named = kind.to.map((field) => record[field]).filter((id) => typeof id === 'string')
  const others = kind.others ? (managers.get(String(record['ownerId'])) ?? []) : []
  const ids = new Set([...named, ...others, ...(kind.named?.(event) ?? [])])
  for (const id of kind.except?.(event) ?? []) ids.delete(id)
  if (!kind.isForActor && event.actorId !== null) ids.delete(event.actorId)
  return [...ids]
}

/** The ids of all users whose names the texts may contain. */
export const actorsOf = (candidates: readonly Candidate[]): string[] => [
  ...new Set(candidates.flatMap(({ event }) => event.actorId ?? [])),
]

export const withSql = <C extends RequestContext>(ctx: C, db: Sql): C => ({ ...ctx, db, batches: new Map() })
