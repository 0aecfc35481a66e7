import { Refusal } from '../../kernel/errors.ts'
import { transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { changeInvoice, type Version } from '../invoice/change-invoice.ts'
import { addDays, beginOfDay, dayIn, daysBetween, timezoneOf } from '../invoice/invoice-day.ts'
import { refuseInState } from '../invoice/invoice.states.ts'
import { isOpen } from '../invoice/invoice.status.ts'
import type { Invoice } from '../invoice/invoice.ts'
import type { DunningSettings } from './dunning-configuration.ts'
import { stepToSend } from './dunning-level.ts'
import { dunningConfiguration } from './dunning.settings.ts'
import { remind, type Reminder } from './remind.ts'

/** Throws unless a user may remind the customer of this invoice at all. */
async function requireRemindable(ctx: RequestContext, settings: DunningSettings, previous: Invoice): Promise<void> {
  const { status, dunningBlocked, disputedAt, customerId } = previous
  const refuse = (message: string) => refuseInState(ctx, previous, message)
  if (!isOpen(status)) await refuse(`An invoice with status ${status} cannot be reminded of.`)
  if (dunningBlocked) await refuse('Reminders of this invoice are blocked; set dunningBlocked to false first.')
  if (settings.pauseWhileDisputed && disputedAt !== null)
    await refuse('The invoice is disputed, and the dunning configuration pauses reminders of disputed invoices.')
  if (customerId !== null && settings.excludeAccountIds.includes(customerId))
    await refuse('The dunning configuration excludes the customer of this invoice.')
}

/** At most one reminder of an invoice is sent on a day. */
function requireNewDay({ lastReminderAt }: Invoice, zone: string, today: string): void {
  if (lastReminderAt === null || dayIn(zone, new Date(lastReminderAt)) < today) return
  const retryAt = beginOfDay(zone, addDays(today, 1)).toISOString()
  throw new Refusal('TOO_SOON', `A reminder was sent today; the next one can be sent from ${retryAt} on.`, { retryAt })
}

/** Sends a reminder now, as a user wants it: of the level that the days since the due day have reached, at least the first. */
export async function sendReminder(
  ctx: RequestContext<'vault' | 'work'>,
  id: string,
  expectedVersion: Version,
): Promise<Reminder & { readonly invoice: Invoice }> {
  let reminder: Reminder | undefined
  const invoice = await transactionWithExternalCalls(ctx, (outer) =>
    changeInvoice(outer, id, expectedVersion, async (previous, inner) => {
      const settings = await dunningConfiguration(inner)
      const zone = settings.timezone ?? (await timezoneOf(inner))
      const today = dayIn(zone, inner.clock.now())
      await requireRemindable(inner, settings, previous)
      requireNewDay(previous, zone, today)
      const step = stepToSend(settings, daysBetween(previous.dueDate!, today), previous.dunningLevel)
      const sent = await remind(inner, previous, settings, step, today)
      reminder = sent.reminder
      return sent.move
    }),
  )
  return { ...reminder!, invoice }
}
