import { LRUCache } from 'lru-cache'
import type { ActingUser } from '../../kernel/credentials/public.ts'
import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import type { Services } from '../../kernel/request.ts'
import { selectionFor, type Selected } from '../webhook/selection-for.ts'
import type { SubscribedWebhook } from '../webhook/webhook-reader.ts'
import { bodyBytesMax, fittingText } from './delivery-body.ts'
import { rightsDigest } from './readable-body.ts'
import { bytesOfPart, derivedId, wholeText, type StoredBody } from './stored-body.ts'

type Fields = Readonly<Record<string, unknown>>

interface Prepared {
  readonly organizationId: string
  readonly id: string
  /** The lease of the attempt. */
  readonly token: string
  readonly eventType: string
  /** The delivery must not wait any longer for its selection. */
  readonly isLate: boolean
}

/** Of which record the event is; null if its body has a selection already. */
type Subject = { readonly object: string; readonly recordId: string } | null

/** Bodies are shared by many webhooks, and may be large. */
const subjects = new LRUCache<string, { readonly subject: Subject }>({ max: 1_000 })

function subjectOf({ id: bodyId, text }: StoredBody): Subject {
  const known = subjects.get(bodyId)
  if (known) return known.subject
  const { data } = JSON.parse(text) as { readonly data: Fields }
  const { object = data['entityType'], id } = data
  const subject = 'selection' in data ? null : { object: String(object), recordId: String(id) }
  subjects.set(bodyId, { subject })
  return subject
}

/** Bytes of the different selections of one event that are stored. Smaller ones are not counted: there are at most 100 webhooks. */
export const selectionBytesOfEvent = 1_048_576
const countedFrom = 8_192

const membersOf = (selected: Selected): string => JSON.stringify(selected).slice(1, -1)

const tooMuch: Selected = {
  selection: null,
  selectionErrors: [
    {
      code: 'ANSWER_TOO_LARGE',
      message: `What the webhooks select for one event has more than ${selectionBytesOfEvent} bytes together.`,
      path: [],
    },
  ],
}

/**
 * The body with what the webhook selects. The selection is stored before it is sent for the first time, so that retries and replays send the same
 * body; a selection that a former attempt has stored is not read again. It is a part of its own: the event is not stored again, and webhooks that
 * select the same as the same user share it.
 */
export async function withSelection(
  services: Services,
  webhook: SubscribedWebhook,
  owner: ActingUser,
  delivery: Prepared,
  body: StoredBody,
): Promise<string> {
  const subject = subjectOf(body)
  if (!subject) return body.text
  const { eventType: type, isLate } = delivery
  const selected = await selectionFor(services, webhook, { ...subject, type, isLate }, owner)
  if (!selected) return body.text
  const rights = rightsDigest({ ...owner, userId: webhook.ownerId })
  return (
    (await storePart(services, delivery, body, { members: membersOf(selected), rights })) ??
    (await storePart(services, delivery, body, { members: membersOf(tooMuch), rights }))!
  )
}

/** The base is locked while a large part is counted, because several workers store parts of it at the same time. Parts with the same content have the same id, and are counted once. */
const store = (lock: string): string => `
  with base as (
    select part_bytes from events.delivery_body where organization_id = $1 and id = $2${lock}
  ), known as (
    select from events.delivery_body where organization_id = $1 and id = $4
  ), fitting as (
    select from base where not $9 or exists (select from known) or part_bytes + $8 <= ${selectionBytesOfEvent}
  ), reduced as (
    insert into events.delivery_body (organization_id, id, body) select $1, $3, $10 from fitting where $10::text is not null
    on conflict do nothing
  ), part as (
    insert into events.delivery_body (organization_id, id, base_id, body, rights) select $1, $4, $3, $5, $6 from fitting
    on conflict do nothing returning id
  ), counted as (
    update events.delivery_body set part_bytes = part_bytes + $8 where organization_id = $1 and id = $2 and $9 and exists (select from part)
  ), queued as (
    update events.delivery_queue set body_id = $4, body_bytes = $7
    where organization_id = $1 and id = $11 and lease_token = $12 and exists (select from fitting)
  )
  select from fitting`

/** What is sent; null if the event has no room for the part. */
async function storePart(
  { database, storedBytes }: Services,
  { organizationId, id, token }: Prepared,
  body: StoredBody,
  { members, rights }: { readonly members: string; readonly rights: string },
): Promise<string | null> {
  const bytes = bytesOfPart(members)
  const text = fittingBase(body.text, bodyBytesMax - bytes)
  const baseId = text === body.text ? body.id : derivedId(body.id, text)
  const partId = derivedId(baseId, members, rights)
  const whole = wholeText({ text, members })
  const wholeBytes = Buffer.byteLength(text) + bytes
  const reduced = text === body.text ? null : text
  const isCounted = bytes >= countedFrom
  const values = [
    organizationId,
    body.id,
    baseId,
    partId,
    members,
    rights,
    wholeBytes,
    bytes,
    isCounted,
    reduced,
    id,
    token,
  ]
  await storedBytes.count(organizationId, bytes + (reduced?.length ?? 0))
  const stored = await database.query(store(isCounted ? ' for update' : ''), values)
  return stored.length > 0 ? whole : null
}

const fittingBase = (text: string, bytesMax: number): string =>
  Buffer.byteLength(text) <= bytesMax
    ? text
    : fittingText(parseJsonExactly(text) as { readonly data: Fields }, bytesMax)
