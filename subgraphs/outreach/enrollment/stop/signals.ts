import type { LoggedEvent } from '../../../kernel/outbox/event-feed.ts'

/** What became known about people in sequences. */
export type SignalKind =
  | 'OPENED'
  | 'CLICKED'
  | 'REPLIED'
  | 'BOUNCED'
  | 'UNSUBSCRIBED'
  | 'CONSENT_DENIED'
  | 'MEETING'
  | 'STAGE'
  | 'DELETED'
  | 'CONVERTED'

export interface Signal {
  readonly kind: SignalKind
  readonly at: string
  /** The mail that it is about; otherwise the records. */
  readonly messageId: string | null
  readonly entityIds: readonly string[]
  /** STAGE: the stage. */
  readonly stage?: string
  /** CONVERTED: what the lead became. */
  readonly contactId?: string | null
  readonly accountId?: string | null
}

type Values = Readonly<Record<string, unknown>>

/** The types of events from which signals follow. */
export const signalTypes = [
  'email.opened',
  'email.clicked',
  'email.replied',
  'email.bounced',
  'email.complained',
  'contact.updated',
  'contact.deleted',
  'lead.updated',
  'lead.deleted',
  'lead.converted',
  'activity.created',
  'opportunity.created',
  'opportunity.stage_changed',
] as const

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const ofMail = (kind: SignalKind, { recordId, occurredAt }: LoggedEvent): Signal[] => [
  { kind, at: occurredAt, messageId: recordId, entityIds: [] },
]

const ofRecords = (
  kind: SignalKind,
  { occurredAt }: LoggedEvent,
  ids: readonly (string | null)[],
  more: Partial<Signal> = {},
): Signal[] => {
  const entityIds = ids.filter((id) => id !== null)
  return entityIds.length > 0 ? [{ kind, at: occurredAt, messageId: null, entityIds, ...more }] : []
}

/** The signals of an event; empty for most events of records. */
export function signalsOf(event: LoggedEvent): Signal[] {
  const record = (event.data['record'] ?? {}) as Values
  const changed = (event.data['changedFields'] ?? []) as readonly string[]
  switch (event.type as (typeof signalTypes)[number]) {
    case 'email.opened':
      return ofMail('OPENED', event)
    case 'email.clicked':
      return ofMail('CLICKED', event)
    case 'email.replied':
      return ofMail('REPLIED', event)
    case 'email.bounced':
      return record['bounceType'] === 'HARD' ? ofMail('BOUNCED', event) : []
    case 'email.complained':
      return ofMail('UNSUBSCRIBED', event)
    case 'contact.deleted':
    case 'lead.deleted':
      return ofRecords('DELETED', event, [event.recordId])
    case 'contact.updated':
    case 'lead.updated':
      return ofRefusal(event, record, changed)
    case 'lead.converted':
      return ofRecords('CONVERTED', event, [event.recordId], {
        contactId: text(record['convertedContactId']),
        accountId: text(record['convertedAccountId']),
      })
    case 'activity.created':
      return record['type'] === 'MEETING' ? ofRecords('MEETING', event, attendees(record)) : []
    case 'opportunity.created':
    case 'opportunity.stage_changed':
      return ofRecords('STAGE', event, [text(record['primaryContactId'])], { stage: String(record['stage']) })
  }
}

function ofRefusal(event: LoggedEvent, record: Values, changed: readonly string[]): Signal[] {
  const names = new Set(changed)
  const consent = record['consent'] as { status?: unknown } | null | undefined
  if (names.has('consent') && consent?.status === 'DENIED') return ofRecords('CONSENT_DENIED', event, [event.recordId])
  if (names.has('emailOptOut') && record['emailOptOut'] === true)
    return ofRecords('UNSUBSCRIBED', event, [event.recordId])
  if (!names.has('emailStatus')) return []
  const status = record['emailStatus']
  if (status === 'BOUNCED') return ofRecords('BOUNCED', event, [event.recordId])
  return status === 'UNSUBSCRIBED' || status === 'COMPLAINED' ? ofRecords('UNSUBSCRIBED', event, [event.recordId]) : []
}

function attendees(record: Values): (string | null)[] {
  const participants = (record['participants'] ?? []) as readonly { type?: unknown; id?: unknown }[]
  const invited = participants.filter(({ type }) => type === 'CONTACT' || type === 'LEAD').map(({ id }) => text(id))
  return [...new Set([text(record['contactId']), text(record['leadId']), ...invited])]
}
