import type { Invoice } from '../commerce/invoice/invoice.ts'
import { invoiceEvents } from '../commerce/invoice/invoice.events.ts'
import { statusByAmounts } from '../commerce/invoice/invoice.status.ts'
import { addDays, dayOf, daysBetween, dueDayOf } from '../commerce/invoice/invoice-day.ts'
import { defaultSettings } from '../commerce/dunning/default-settings.ts'
import { reachedStep } from '../commerce/dunning/dunning-level.ts'
import type { Order } from '../commerce/order/order.ts'
import { pricingOf } from '../commerce/line-item/pricing.ts'
import { textOfNumber } from '../kernel/json/exact-number.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs, iso, timeBetween } from './calendar.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import type { Sql } from '../kernel/database/sql.ts'

type Generated = GeneratedRecord<Invoice>
type OrderValues = GeneratedRecord<Order>['values']

/** Invoices of the delivered orders, in the states that follow from their payments, and drafts of those in progress. */
export function demoInvoices(input: GeneratorInput, orders: readonly GeneratedRecord<Order>[]): Generated[] {
  const random = new Random(`invoices ${input.profile.code}`)
  const invoices = orders.flatMap(({ values }, index) => {
    if (values.fulfilledAt) return [issuedInvoice(input, random, values)]
    // A customer who wants to pay in advance: the draft is not of the order.
    return values.confirmedAt && index % 4 === 0 ? [draftFor(input, random, values)] : []
  })
  return numbered([...invoices, ...inAdvance(input, orders)])
}

/** Invoices of the last days over the first line of orders in progress, which are not of the orders: unpaid, and paid in part. */
function inAdvance(input: GeneratorInput, orders: readonly GeneratedRecord<Order>[]): Generated[] {
  const random = new Random(`advance invoices ${input.profile.code}`)
  const inProgress = orders.filter(({ values }) => values.confirmedAt && !values.fulfilledAt).slice(-4)
  return inProgress.map(({ values }, index) => {
    const fulfilledAt = iso(input.midnightMs - (index + 2) * dayMs + 9 * hourMs)
    const advance: OrderValues = {
      ...values,
      fulfilledAt,
      lineItems: values.lineItems!.slice(0, 1),
      discountType: null,
      discountValue: null,
      shippingTotal: 0,
      paymentTerms: 'NET_30',
      paymentStatus: index % 2 === 0 ? 'UNPAID' : 'PARTIALLY_PAID',
    }
    return issuedInvoice(input, random, advance, null)
  })
}

/** Numbers the issued invoices of each year in the order of their issue. */
function numbered(invoices: readonly Generated[]): Generated[] {
  const counts = new Map<string, number>()
  const inOrder = invoices.toSorted((a, b) => (a.values.sentAt ?? '').localeCompare(b.values.sentAt ?? ''))
  const numbers = new Map(
    inOrder.flatMap(({ values: { id, issueDate } }) => {
      if (!issueDate) return []
      const year = issueDate.slice(0, 4)
      const number = (counts.get(year) ?? 0) + 1
      counts.set(year, number)
      return [[id, `INV-${year}-${String(number).padStart(6, '0')}`] as const]
    }),
  )
  return invoices.map((one) => ({
    ...one,
    values: { ...one.values, invoiceNumber: numbers.get(one.values.id) ?? null },
  }))
}

const tokenOf = (random: Random): string =>
  Array.from({ length: 43 }, () => random.pick([...'abcdefghijklmnopqrstuvwxyz0123456789'])).join('')

function commonOf(input: GeneratorInput, random: Random, order: OrderValues, createdMs: number) {
  const { ownerId, contactId, currency, paymentTerms, terms } = order
  return {
    ...commonFields(input, random, createdMs, ownerId!),
    ownerId: ownerId!,
    customerId: order.accountId!,
    contactId: contactId ?? null,
    currency: currency!,
    paymentTerms: paymentTerms!,
    terms: terms ?? null,
    purchaseOrderNumber: order.purchaseOrderNumber ?? null,
    quoteId: order.quoteId ?? null,
  }
}

function draftFor(input: GeneratorInput, random: Random, order: OrderValues): Generated {
  const createdMs = timeBetween(random, Date.parse(order.confirmedAt!), input.midnightMs)
  const [first] = order.lineItems!
  const { quantityFulfilled: _fulfilled, quantityInvoiced: _invoiced, ...line } = first!
  const values = { ...commonOf(input, random, order, createdMs), lineItems: [line], status: 'DRAFT' as const }
  return { values, actorId: order.ownerId!, eventId: random.id(createdMs) }
}

/** What was paid of the invoice by the order, and what was returned. */
function moneyOf(input: GeneratorInput, random: Random, order: OrderValues, id: string, total: number, sentMs: number) {
  const { midnightMs } = input
  const payment = (amount: number, paidMs: number) => ({
    id: random.id(paidMs),
    invoiceId: id,
    amount,
    currency: order.currency!,
    method: random.weighted({ BANK_TRANSFER: 75, CARD: 20, CHECK: 5 }),
    reference: random.digits('TR-######'),
    paidAt: iso(paidMs),
    note: null,
    recordedById: order.ownerId!,
    status: 'SUCCEEDED' as const,
    refundedAmount: 0,
  })
  const paidMs = Math.min(sentMs + random.whole(4, 50) * dayMs + random.whole(1, 8) * hourMs, midnightMs - hourMs)
  switch (order.paymentStatus) {
    case 'PAID':
      return { payments: [payment(total, paidMs)], refunds: [] }
    case 'PARTIALLY_PAID':
      return { payments: [payment(Math.floor(total / 2), paidMs)], refunds: [] }
    case 'REFUNDED': {
      const whole = { ...payment(total, Math.min(paidMs, Date.parse(order.returnedAt!))), refundedAmount: total }
      const refundedAt = order.returnedAt!
      const refund = { id: random.id(Date.parse(refundedAt)), paymentId: whole.id, amount: total, refundedAt }
      return {
        payments: [{ ...whole, status: 'REFUNDED' as const }],
        refunds: [{ ...refund, reason: order.returnReason ?? null, recordedById: order.ownerId! }],
      }
    }
    default:
      return { payments: [], refunds: [] }
  }
}

function issuedInvoice(
  input: GeneratorInput,
  random: Random,
  order: OrderValues,
  orderId: string | null = order.id,
): Generated {
  const sentMs = Date.parse(order.fulfilledAt!)
  const createdMs = sentMs - hourMs
  const { discountType = null, discountValue = null, shippingTotal = 0, currency } = order
  const header = { currency: currency!, discountType, discountValue, shippingTotal }
  const { lines, ...totals } = pricingOf(order.lineItems!, header)
  const lineItems = order.lineItems!.map(({ quantityFulfilled: _f, quantityInvoiced: _i, ...line }, index) => ({
    ...line,
    ...lines[index]!,
  }))
  const common = commonOf(input, random, order, createdMs)
  const total = Number(textOfNumber(totals.total))
  const { payments, refunds } = moneyOf(input, random, order, common.id, total, sentMs)
  const paid =
    payments.reduce((sum, { amount }) => sum + amount, 0) - refunds.reduce((sum, { amount }) => sum + amount, 0)
  const today = dayOf(iso(input.midnightMs))
  const issueDate = dayOf(iso(sentMs))
  const dueDate = dueDayOf(issueDate, common.paymentTerms)
  const isVoid = order.status === 'RETURNED'
  const daysOverdue = daysBetween(dueDate, today)
  const amountDue = Number((total - paid).toFixed(2))
  const isLost = !isVoid && amountDue > 0 && daysOverdue >= defaultSettings.markUncollectibleAfterDays!
  const lostAt = isLost ? addDays(dueDate, defaultSettings.markUncollectibleAfterDays!) : null
  const byAmounts = statusByAmounts(
    { amountDue, amountPaid: paid, amountCredited: 0, dueDate, uncollectibleAt: lostAt },
    today,
  )
  // The midnight after the due day makes also a part that is not paid OVERDUE.
  const status = isVoid ? 'VOID' : byAmounts === 'PARTIALLY_PAID' && dueDate < today ? 'OVERDUE' : byAmounts
  const lastPaymentAt = payments.at(-1)?.paidAt ?? null
  const values = {
    ...common,
    ...header,
    ...totals,
    lineItems,
    orderId,
    status,
    issueDate,
    dueDate,
    payments,
    refunds,
    sentAt: iso(sentMs),
    viewedAt: random.chance(0.7) ? iso(Math.min(sentMs + random.whole(1, 60) * hourMs, input.midnightMs)) : null,
    voidedAt: isVoid ? order.returnedAt! : null,
    voidReason: isVoid ? (order.returnReason ?? null) : null,
    uncollectibleAt: lostAt,
    overdueAt: status === 'OVERDUE' || isLost ? addDays(dueDate, 1) : null,
    lastPaymentAt,
    publicToken: tokenOf(random),
    updatedAt: lastPaymentAt ?? iso(sentMs),
    ...(status === 'OVERDUE' && remindersUntil(dueDate, today)),
    ...(lostAt !== null && remindersUntil(dueDate, lostAt)),
  }
  const before = {
    status: 'DRAFT' as const,
    invoiceNumber: null,
    issueDate: null,
    dueDate: null,
    sentAt: null,
    payments: [],
  }
  const change = {
    eventIds: [random.id(sentMs), random.id(sentMs)],
    isEventReplaced: false,
    occurredAt: iso(sentMs),
    actorId: order.ownerId!,
    before: { ...before, refunds: [], reminderCount: 0, dunningLevel: 0, lastReminderAt: null, viewedAt: null },
    events: [eventOf(status)],
  }
  return { values, actorId: order.ownerId!, eventId: random.id(createdMs), changes: [change] }
}

/** The event of the change that led to the present state. */
function eventOf(status: Invoice['status']): string {
  const event = { PAID: 'invoice.paid', VOID: 'invoice.voided', OVERDUE: 'invoice.overdue' }[status as string]
  const name = event ?? 'invoice.sent'
  if (!(name in invoiceEvents.types)) throw new Error(`There must be an event type ${name}.`)
  return name
}

/** What the daily runs have done until the last midnight. */
function remindersUntil(dueDate: string, today: string) {
  const daysOverdue = daysBetween(dueDate, today) - 1
  const step = reachedStep(defaultSettings, daysOverdue)
  if (!step) return {}
  const lastReminderAt = `${addDays(dueDate, step.daysOverdue).slice(0, 11)}09:00:00.000Z`
  return { dunningLevel: step.level, reminderCount: step.level, lastReminderAt }
}

/** Enables reminders, records the run of the last day, and continues the numbers of the generated invoices. */
export async function loadDunning(sql: Sql, { organizationId, midnightMs }: GeneratorInput): Promise<void> {
  await sql.query(
    `insert into commerce.dunning_setting (organization_id, settings, version, updated_at) values ($1, $2, 1, $3)`,
    [organizationId, JSON.stringify({ ...defaultSettings, enabled: true }), iso(midnightMs - 200 * dayMs)],
  )
  const run = midnightMs - dayMs
  await sql.query(
    `insert into commerce.dunning_run (organization_id, day, started_at, finished_at) values ($1, $2::date, $3, $4)`,
    [organizationId, iso(run).slice(0, 10), iso(run + 9 * hourMs), iso(run + 9 * hourMs + 4000)],
  )
  await sql.query(
    `insert into kernel.record_number (organization_id, object, value)
     select organization_id, 'invoice:' || substr(invoice_number, 5, 4), count(*) from commerce.invoice
     where organization_id = $1 and invoice_number is not null group by 1, 2`,
    [organizationId],
  )
}

/** What the invoices say about an order: those of a returned one are void. */
export const withInvoices = (orders: readonly GeneratedRecord<Order>[]): GeneratedRecord<Order>[] =>
  orders.map((order) => {
    const { status, lineItems } = order.values
    if (status !== 'RETURNED') return order
    const lines = lineItems!.map((line) => ({ ...line, quantityInvoiced: 0 }))
    return { ...order, values: { ...order.values, lineItems: lines, invoiceStatus: 'NOT_INVOICED' } }
  })
