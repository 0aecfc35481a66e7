import { dueRecords, ownerContext } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import { change } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { sendDraft } from './smart-email.actions.ts'
import type { SmartEmailDraft } from './smart-email-draft.ts'
import { smartEmailDraft } from './smart-email.record.ts'

/** A limit of mails delays a draft at most this long after its time; then it fails. */
const delayMaxMs = 24 * 3_600_000

const isDue = (draft: SmartEmailDraft, now: Date): boolean =>
  draft.status === 'SCHEDULED' && draft.nextAttemptAt !== null && Date.parse(draft.nextAttemptAt) <= now.getTime()

/** Records that a due draft cannot be sent, or when it is tried again. A draft that is not due any more stays as it is. */
async function postpone(ctx: RequestContext, id: string, refusal: Refusal): Promise<void> {
  const now = ctx.clock.now()
  await change(ctx, smartEmailDraft, id, (draft) => {
    if (!isDue(draft, now)) return { operation: 'UPDATE', values: {} }
    const next = now.getTime() + Number(refusal.extensions['retryAfter']) * 1000
    if (refusal.status === 429 && next <= Date.parse(draft.scheduledAt!) + delayMaxMs)
      return { operation: 'UPDATE', values: {}, implied: { nextAttemptAt: new Date(next).toISOString() } }
    const implied = { status: 'FAILED', failureReason: refusal.message.slice(0, 500), nextAttemptAt: null } as const
    return { operation: 'UPDATE', values: {}, implied, events: ['smart_email_draft.failed'], isEventReplaced: true }
  })
}

/** Sends the drafts whose time has come. Each is sent once: the mail, its row in the queue and the status SENDING are one transaction. */
export const smartEmailSendDue = dueRecords(smartEmailDraft, {
  name: 'smartEmail.sendDue',
  cron: '* * * * *',
  by: 'nextAttemptAt',
  of: `status = 'SCHEDULED'`,
  async work(system, { id, ownerId }, services) {
    const ctx = await ownerContext(services, system.caller.organizationId, ownerId)
    try {
      if (!ctx) throw new Refusal('PERMISSION_DENIED', 'The owner of the draft is not active or may only read.')
      await sendDraft(ctx, id, null, (draft) => isDue(draft, services.clock.now()))
    } catch (error) {
      // A part of the platform that is busy is tried again at the next tick.
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      await postpone(system, id, error)
    }
  },
})
