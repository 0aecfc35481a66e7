import { invalid } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { keptPositions, timeAt } from '../../kernel/outbox/event-log.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { WebhookContext } from '../webhook/webhook.context.ts'
import { requireRightToChange } from '../webhook/webhook.rules.ts'
import { requireWebhook } from './delivery.actions.ts'
import { eventRecovery } from './event-recovery.migrations.ts'

/** Begins a recovery: the queue makes a delivery of each event of the time that the webhook wants. */
export async function recoverEvents(
  ctx: WebhookContext,
  webhookId: string,
  { from, to }: { readonly from: string; readonly to: string | null },
): Promise<void> {
  const found = await requireWebhook(ctx, webhookId)
  await requireRightToChange(ctx, {}, found)
  if (!found.isEnabled) throw refusalInSituation('The webhook must be turned on before events are recovered.')
  const now = ctx.clock.now().toISOString()
  const until = to === null || Date.parse(to) > Date.parse(now) ? now : to
  if (Date.parse(from) >= Date.parse(until))
    throw invalid({ path: 'from', code: 'OUT_OF_RANGE', message: 'from must be before to, and in the past.' })
  await requireKept(ctx, from)
  await inTransaction(ctx, async ({ db, caller }) => {
    const begun = await db.query(
      `insert into ${eventRecovery.table} (organization_id, id, webhook_id, from_time, to_time) values ($1, $2, $3, $4, $5)
       on conflict (organization_id, webhook_id) where state = 'QUEUED' do nothing returning id`,
      [caller.organizationId, newId(), found.id, from, until],
      'WRITE',
    )
    if (begun.length === 0)
      throw refusalInSituation(
        'The events of another time are being recovered for the webhook. Wait until that has ended.',
      )
  })
}

/** Refuses a time of which events are gone. */
async function requireKept({ db, caller: { organizationId } }: WebhookContext, from: string): Promise<void> {
  const { oldest, latest } = await keptPositions(db, organizationId)
  if (oldest === 1 || latest === 0) return
  const time = oldest === null ? null : await timeAt(db, organizationId, oldest)
  if (time !== null && Date.parse(from) >= Date.parse(time)) return
  const message =
    time === null
      ? 'No events of the organization are kept any more.'
      : `from must not be before ${time}: earlier events are not kept any more.`
  throw invalid({ path: 'from', code: 'HISTORY_NOT_KEPT', message, oldest: time })
}
