import type { Sql } from '../../kernel/database/sql.ts'
import type { EventBatch, EventConsumer } from '../../kernel/outbox/event-consumer.ts'
import { change } from '../../kernel/record/records-of.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { deliveryConsumer } from './delivery-consumer-name.ts'
import type { SmartEmailDraft } from './smart-email-draft.ts'
import { smartEmailDraft } from './smart-email.record.ts'

interface Mail {
  readonly sentAt?: string | null
  readonly status?: string
  readonly failureReason?: string | null
  readonly bounceReason?: string | null
}

/** What became of a mail; null if it is still on its way. */
function outcomeOf(type: string, { sentAt, status, failureReason, bounceReason }: Mail) {
  if (type === 'email.sent')
    return { event: 'smart_email_draft.sent', implied: { status: 'SENT', sentAt: sentAt ?? null } } as const
  if (status !== 'FAILED' && status !== 'BOUNCED') return null
  const reason = failureReason ?? bounceReason ?? 'The mail was not sent.'
  const implied = { status: 'FAILED', failureReason: reason.slice(0, 500) } as const
  return { event: 'smart_email_draft.failed', implied } as const
}

async function recordOutcomes(services: Services, sql: Sql, { organizationId, events }: EventBatch): Promise<void> {
  const outcomes = new Map<string, NonNullable<ReturnType<typeof outcomeOf>>>()
  for (const { type, recordId, data } of events) {
    const outcome = outcomeOf(type, data['record'] as Mail)
    // A mail that was sent can bounce later, and then stays sent.
    if (outcome && recordId && !outcomes.has(recordId)) outcomes.set(recordId, outcome)
  }
  if (outcomes.size === 0) return
  const drafts = await sql.query<Pick<SmartEmailDraft, 'id' | 'messageId'> & Record<string, unknown>>(
    `select id, message_id as "messageId" from outreach.smart_email_draft
     where organization_id = $1 and message_id = any($2::uuid[]) and status = 'SENDING' order by id`,
    [organizationId, [...outcomes.keys()]],
  )
  const ctx = { ...systemContext(services, organizationId), db: sql }
  for (const { id, messageId } of drafts) {
    const { event, implied } = outcomes.get(messageId!)!
    await change(ctx, smartEmailDraft, id, (draft) =>
      draft.status === 'SENDING'
        ? { operation: 'UPDATE', values: {}, implied, events: [event], isEventReplaced: true }
        : { operation: 'UPDATE', values: {} },
    )
  }
}

/** Takes over what became of the mails of drafts. */
export const smartEmailDelivery: EventConsumer = {
  name: deliveryConsumer,
  batch: 200,
  gatherMs: 100,
  types: () => Promise.resolve(['email.sent', 'email.updated', 'email.bounced']),
  consume: recordOutcomes,
}
