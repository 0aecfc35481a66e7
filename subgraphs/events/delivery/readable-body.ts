import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { seesLess } from '../../identity/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { isRecordShape } from '../../kernel/record/definition.ts'
import { customObjectOfEvents, eventSourceIn } from '../../kernel/record/custom-object.ts'
import type { OrganizationShapes } from '../../kernel/record/shape-source.ts'
import { isCustomEvent, objectOf } from '../webhook/event-names.ts'
import { storedEventId, visibleEvent } from '../envelope/envelope.ts'
import { parentsOf, type Recipient } from '../envelope/visibility.ts'

type Fields = Readonly<Record<string, unknown>>

/** The rights of a user as a digest, by which it is known whether two readers see the same. */
export function rightsDigest({ userId, role, ownerIds, fields, entitlements }: Recipient): string {
  const rights = [userId, role, ownerIds?.toSorted() ?? null, fields, entitlements.toSorted()]
  return createHash('sha256').update(JSON.stringify(rights)).digest('base64url')
}

/** What was read as the owner of a webhook cannot be filtered again: readers who see less than all need the same rights. */
export const isPartReadable = (reader: Recipient, rights: string | null): boolean =>
  rights === null || !seesLess(reader) || rights === rightsDigest(reader)

export interface EventBody {
  /** `evt_…` or the id of the event row. */
  readonly eventId: string
  readonly eventType: string
  readonly text: string
  /** Whether `text` ends with a part that is readable. */
  readonly hasPart: boolean
}

export interface ReadingContext {
  readonly db: Sql
  readonly shapes: OrganizationShapes | null
  readonly organizationId: string
}

/** Whether the body of an event has nothing that the reader may not see, by the rights of this moment. */
export async function isEventReadable(context: ReadingContext, reader: Recipient, body: EventBody): Promise<boolean> {
  const { eventType, text, hasPart } = body
  if (isCustomEvent(eventType)) return true
  const prefix = objectOf(eventType)
  const source = eventSourceIn(context, customObjectOfEvents(prefix) ?? prefix)
  const isPrivate = source !== null && isRecordShape(source) && source.privateUnless !== undefined
  if (!seesLess(reader) && !isPrivate) return true
  const { data, test } = JSON.parse(text) as { readonly data: Fields; readonly test?: true }
  if (test) return true
  // Of a body that has its selection in the text of the event, nobody knows as whom it was read.
  if ('selection' in data && !hasPart) return false
  const { organizationId } = context
  const event = await whatHappened(context, body, data)
  if (!event) return false
  const parents = await parentsOf(context.db, organizationId, [event], context.shapes)
  const seen = visibleEvent({ ...reader, organizationId }, event, { shapes: context.shapes, parents })
  if (!seen) return false
  if (data['previous'] && !seen.data['previous']) return false
  const removed = new Set((data['redactedFields'] ?? []) as readonly string[])
  return ((seen.data['redactedFields'] ?? []) as readonly string[]).every((name) => removed.has(name))
}

/** The event as the body has it; if its record was too large for the body, as the event log has it. Null if that no longer has it. */
async function whatHappened({ db, organizationId }: ReadingContext, body: EventBody, data: Fields) {
  // The type `case.comment_added` is of the object `case_comment`.
  const event = { object: String(data['object'] ?? data['entityType']), type: body.eventType, data }
  if (!((data['omitted'] ?? []) as readonly string[]).includes('record')) return event as unknown as LoggedEvent
  const eventId = storedEventId(body.eventId) ?? body.eventId
  const [row] = await db.query<{ data: Fields }>(
    'select data from kernel.event where organization_id = $1 and id = $2',
    [organizationId, eventId],
  )
  return row ? ({ ...event, data: { ...data, record: row.data['record'] } } as unknown as LoggedEvent) : null
}

/** Short, because what a user sees also depends on the parents of records. */
const knownMs = 5_000
const known = new LRUCache<string, Promise<boolean>>({ max: 2_000, ttl: knownMs })

/** As `isEventReadable`, once for all deliveries of the same body to the same reader. */
export function isStoredEventReadable(
  context: ReadingContext,
  reader: Recipient,
  body: EventBody & { readonly bodyId: string },
): Promise<boolean> {
  if (!seesLess(reader)) return isEventReadable(context, reader, body)
  const key = `${body.bodyId}:${rightsDigest(reader)}`
  let found = known.get(key)
  if (!found) {
    found = isEventReadable(context, reader, body)
    known.set(key, found)
    found.catch(() => known.delete(key))
  }
  return found
}
