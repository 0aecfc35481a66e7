import { baseCurrencyOf, ratesOf } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import { nearestNumber } from '../../kernel/json/exact-number.ts'
import { transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { systemContext, type Port, type RequestContext, type Services } from '../../kernel/request.ts'
import { decimalOf } from '../../kernel/values/decimal.ts'
import { changeInvoice, type Move } from '../invoice/change-invoice.ts'
import { addDays, beginOfDay, dayIn, daysBetween } from '../invoice/invoice-day.ts'
import { isOpen } from '../invoice/invoice.status.ts'
import type { Invoice } from '../invoice/invoice.ts'
import type { DunningSettings } from './dunning-configuration.ts'
import { daysOfStep, reachedStep } from './dunning-level.ts'
import { remind } from './remind.ts'

/** The reminders of one organization on one day. */
export interface Run {
  readonly ctx: RequestContext<Port>
  readonly settings: DunningSettings
  readonly zone: string
  /** The day in that time zone, as midnight UTC. */
  readonly today: string
  /** The smallest amounts due, by currency. */
  readonly minimums: ReadonlyMap<string, number>
}

export type Due = Pick<Invoice, 'id'> & { readonly dueDate: string }

/** The smallest amount by currency: the minimum of the base currency at the rates of the day. */
async function minimumsOf(
  ctx: RequestContext,
  { minimumAmount }: DunningSettings,
): Promise<ReadonlyMap<string, number>> {
  const minimum = decimalOf(minimumAmount)
  if (minimum.eq(0)) return new Map()
  const currencies = await ctx.db.query<{ currency: string }>(
    `select distinct currency from commerce.invoice_totals where organization_id = $1`,
    [ctx.caller.organizationId],
  )
  const { rates } = await ratesOf(
    ctx,
    currencies.map(({ currency }) => currency),
  )
  const base = await baseCurrencyOf(ctx)
  const entries = Array.from(rates, ([currency, rate]): [string, number] => [
    currency,
    Number(minimum.div(decimalOf(rate)).toFixed()),
  ])
  return new Map([...entries, [base, nearestNumber(minimumAmount)]])
}

export async function openRun(
  services: Services,
  organizationId: string,
  settings: DunningSettings,
  zone: string,
): Promise<Run> {
  const ctx = systemContext(services, organizationId)
  return { ctx, settings, zone, today: dayIn(zone, ctx.clock.now()), minimums: await minimumsOf(ctx, settings) }
}

/** The next invoices that the run may concern, by their due day. Whether it does is decided under the lock of each. */
export function dueInvoices(
  { ctx, settings, zone, today, minimums }: Run,
  after: Due | null,
  count: number,
): Promise<Due[]> {
  const { steps, markUncollectibleAfterDays, stopOnPartialPayment, pauseWhileDisputed, excludeAccountIds } = settings
  const days = steps.map((step) => addDays(today, -daysOfStep(settings, step)))
  const uncollectible = markUncollectibleAfterDays === null ? null : addDays(today, -markUncollectibleAfterDays)
  return ctx.db.query<Due & Record<string, unknown>>(
    `select i.id, i.due_date as "dueDate" from commerce.invoice i
     where i.organization_id = $1 and i.deleted_at is null and i.status in ('SENT', 'PARTIALLY_PAID', 'OVERDUE')
       and i.due_date <= greatest((select max(d) from unnest($2::timestamptz[]) d), $4::timestamptz)
       and not i.dunning_blocked and i.amount_due > 0
       and (i.last_reminder_at is null or i.last_reminder_at < $5 or i.due_date <= $4)
       and (i.due_date <= $4 or i.dunning_level < coalesce((
         select max(s.level) from unnest($2::timestamptz[], $3::int[]) s(day, level) where i.due_date <= s.day), 0))
       and not ($6 and i.amount_paid > 0) and not ($7 and i.disputed_at is not null)
       and not coalesce(i.customer_id = any($8::uuid[]), false)
       and i.amount_due >= coalesce((
         select m.minimum from unnest($9::text[], $10::numeric[]) m(currency, minimum) where m.currency = i.currency), 0)
       and ($11::timestamptz is null or (i.due_date, i.id) > ($11, $12::uuid))
     order by i.due_date, i.id limit ${count}`,
    [
      ctx.caller.organizationId,
      days,
      steps.map(({ level }) => level),
      uncollectible,
      beginOfDay(zone, today).toISOString(),
      stopOnPartialPayment,
      pauseWhileDisputed,
      excludeAccountIds,
      [...minimums.keys()],
      [...minimums.values()],
      after?.dueDate ?? null,
      after?.id ?? null,
    ],
  )
}

const nothing: Move = { implied: {} }

/** What the run does with an invoice: under its lock, after what other workers and callers have done. */
async function decide(run: Run, previous: Invoice, ctx: RequestContext<Port>): Promise<Move> {
  const { settings, zone, today } = run
  const { status, dunningBlocked, disputedAt, amountPaid, lastReminderAt, dunningLevel, dueDate } = previous
  const isPaused =
    !isOpen(status) ||
    dunningBlocked ||
    decimalOf(previous.amountDue).lt(run.minimums.get(previous.currency) ?? 0) ||
    (settings.pauseWhileDisputed && disputedAt !== null) ||
    (settings.stopOnPartialPayment && decimalOf(amountPaid).gt(0))
  if (isPaused) return nothing
  const daysOverdue = daysBetween(dueDate!, today)
  const { markUncollectibleAfterDays } = settings
  if (markUncollectibleAfterDays !== null && daysOverdue >= markUncollectibleAfterDays)
    return {
      implied: { status: 'UNCOLLECTIBLE', uncollectibleAt: ctx.clock.now().toISOString() },
      events: ['invoice.marked_uncollectible'],
    }
  const step = reachedStep(settings, daysOverdue)
  const isRemindedToday = lastReminderAt !== null && dayIn(zone, new Date(lastReminderAt)) >= today
  if (!step || step.level <= dunningLevel || isRemindedToday) return nothing
  return (await remind(ctx, previous, settings, step, today)).move
}

/** Handles one invoice in a transaction of its own. Returns when it can be reminded of, if the mails of the organization are used up. */
export async function remindOf(run: Run, { id }: Pick<Due, 'id'>): Promise<Date | null> {
  try {
    await transactionWithExternalCalls(run.ctx, (outer) =>
      changeInvoice(outer, id, null, (previous, inner) => decide(run, previous, inner)),
    )
    return null
  } catch (error) {
    const seconds = error instanceof Refusal && error.code === 'MAIL_RATE_LIMITED' && error.extensions['retryAfter']
    if (typeof seconds === 'number') return new Date(run.ctx.clock.now().getTime() + seconds * 1000)
    // Deleted meanwhile, or refused by a rule of a task or a mail: the invoice stays as it is until the next day.
    if (error instanceof Refusal && error.status < 500) return null
    throw error
  }
}
