import { contactEmail, createTask } from '../../crm/public.ts'
import { activeUsers, noticeAddress } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { deliveryRefusal } from '../../outreach/public.ts'
import { unrestricted, type RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf } from '../../kernel/values/decimal.ts'
import type { Move } from '../invoice/change-invoice.ts'
import { daysBetween } from '../invoice/invoice-day.ts'
import type { Invoice } from '../invoice/invoice.ts'
import type { DunningSettings, DunningStep, DunningTone, SkippedReason } from './dunning-configuration.ts'
import { feeOf, interestOf } from './dunning-level.ts'
import { queueNotice, queueReminder, type Claim } from './reminder-mail.ts'

/** What a reminder was. */
export interface Reminder {
  readonly level: number
  readonly tone: DunningTone
  readonly sentTo: string | null
  /** Why nothing was sent; null if it was. */
  readonly skippedReason: SkippedReason | null
  readonly fee: ExactNumber
  readonly interest: ExactNumber
}

/** The address of the customer: that of the last sending, or of the contact; null without one. */
const addressOf = async (
  ctx: RequestContext,
  { sentTo, contactId }: Pick<Invoice, 'sentTo' | 'contactId'>,
): Promise<string | null> => sentTo ?? (contactId === null ? null : contactEmail(unrestricted(ctx), contactId))

/**
 * Sends the reminder of a level. Its mail, its notices and its task are rows of the transaction in which the invoice changes, so a reminder is
 * sent once or not at all. Without an address that may get mails, nothing is mailed or charged; those whom the level names are told to reach the customer
 * in another way. Use it inside `transactionWithExternalCalls`. `today` is the day in the time zone of the configuration.
 */
export async function remind(
  ctx: RequestContext<'vault' | 'work'>,
  invoice: Invoice,
  settings: DunningSettings,
  step: DunningStep,
  today: string,
): Promise<{ readonly move: Move; readonly reminder: Reminder }> {
  const { level, tone } = step
  const address = await addressOf(ctx, invoice)
  const isSuppressed = address !== null && (await deliveryRefusal(ctx, address)) !== null
  const sentTo = isSuppressed ? null : address
  const daysOverdue = Math.max(0, daysBetween(invoice.dueDate!, today))
  // A level that is repeated escalates nothing again.
  const isEscalation = level > invoice.dunningLevel
  if (sentTo === null) {
    const isTold = isEscalation && (step.createTask || step.notifyOwner || step.escalateToUserId !== null)
    const claim: Claim = { level, tone, daysOverdue, fees: invoice.dunningFees, interest: 0 }
    if (isTold) await escalate(ctx, invoice, step, claim, false)
    return {
      reminder: { level, tone, sentTo, skippedReason: isSuppressed ? 'SUPPRESSED' : 'NO_EMAIL', fee: 0, interest: 0 },
      move: { implied: isTold ? { dunningLevel: level } : {} },
    }
  }
  const fee = feeOf(step, invoice)
  const fees = exactOf(decimalOf(invoice.dunningFees).plus(fee))
  const interest = interestOf(settings, invoice, daysOverdue)
  const claim: Claim = { level, tone, daysOverdue, fees, interest }
  await queueReminder(ctx, invoice, sentTo, claim, step.templateId)
  if (isEscalation) await escalate(ctx, invoice, step, claim, true)
  return {
    reminder: { level, tone, sentTo, skippedReason: null, fee: exactOf(fee), interest },
    move: {
      implied: {
        mailFailure: null,
        dunningLevel: level,
        dunningFees: fees,
        dunningInterest: interest,
        reminderCount: invoice.reminderCount + 1,
        lastReminderAt: ctx.clock.now().toISOString(),
      },
      events: ['invoice.reminder_sent'],
    },
  }
}

async function escalate(
  ctx: RequestContext<'vault'>,
  invoice: Invoice,
  { notifyOwner, createTask: isTaskWanted, escalateToUserId }: DunningStep,
  claim: Claim,
  isReminded: boolean,
): Promise<void> {
  const { ownerId } = invoice
  const notified = [
    ...(notifyOwner && ownerId !== null ? [ownerId] : []),
    ...(escalateToUserId ? [escalateToUserId] : []),
  ]
  for (const id of new Set(notified)) {
    const email = await noticeAddress(ctx, id)
    if (email !== null) await queueNotice(ctx, invoice, email, claim, isReminded)
  }
  if (!isTaskWanted) return
  const candidates = [escalateToUserId, ownerId].filter((id) => id !== null)
  const active = candidates.length > 0 ? await activeUsers(ctx, candidates) : new Set<string>()
  const assignedToId = candidates.find((id) => active.has(id)) ?? null
  await createTask(ctx, {
    subject: `Collect invoice ${invoice.invoiceNumber!}, ${claim.daysOverdue} days overdue`,
    type: 'FOLLOW_UP',
    priority: claim.tone === 'FINAL' ? 'URGENT' : 'HIGH',
    source: 'WORKFLOW',
    relatedToType: 'INVOICE',
    relatedToId: invoice.id,
    ...(assignedToId !== null && { assignedToId, ownerId: assignedToId }),
  })
}
