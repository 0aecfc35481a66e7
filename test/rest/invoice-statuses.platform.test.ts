import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { invoiceOverdue } from '../../subgraphs/commerce/invoice/invoice-overdue.job.ts'
import { account, invoice, sentInvoice } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
const began = new Date('2027-02-01T10:00:00.000Z')

beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Statuses') })
})
beforeEach(() => {
  platform.now = began
})
afterAll(() => expectValidEvents(platform))

const pay = async (id: string, amount: number) => (await member.rest.invoicePayment!({ id, body: { amount } })).body
const refund = async (id: string, paymentId: string, body: object = {}) => {
  const answer = await member.rest.invoiceRefundPayment!({ id, paymentId, body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
const overdueEvents = async (id: string) =>
  (await platform.eventTypesOf(id)).filter((type) => type === 'invoice.overdue').length
/** An invoice that was due on 2027-01-20, as the clock has not seen it yet. */
const pastDue = () => sentInvoice(member, { issueDate: '2026-12-21', dueDate: '2027-01-20' })
const overdue = async () => {
  const { id } = await pastDue()
  await invoiceOverdue.run(platform.services)
  return id as string
}
/** What the invoice is after the clock has run at this time. */
const at = async (id: string, time: Date) => {
  platform.now = time
  await invoiceOverdue.run(platform.services)
  const { status, overdueAt } = (await member.rest.invoice!({ id })).body
  return [status, overdueAt, await overdueEvents(id)]
}
const nextDay = new Date('2027-02-02T10:00:00.000Z')

it('an open invoice is overdue at midnight of the earliest time zone', async () => {
  const east = await platform.member({ role: 'OWNER', organizationId: await platform.organization('East') })
  await platform.query(
    `update identity.organization set settings = settings || '{"timezone": "Pacific/Kiritimati"}' where id = $1`,
    [east.organizationId],
  )
  const { id } = await sentInvoice(east, { issueDate: '2027-01-20', dueDate: '2027-02-01' })
  const statusAt = async (time: string) => {
    platform.now = new Date(time)
    await invoiceOverdue.run(platform.services)
    return (await east.rest.invoice!({ id })).body.status
  }
  // There, the day ends fourteen hours before it ends in UTC.
  expect(await statusAt('2027-02-01T09:59:59.999Z')).toBe('SENT')
  expect(await statusAt('2027-02-01T10:00:00.000Z')).toBe('OVERDUE')
})

describe('a refund past the due day', () => {
  it.each([{}, { amount: 19 }])('of %j makes a PAID invoice OVERDUE, with its time and one event', async (given) => {
    const { id } = await pastDue()
    const { payments, status } = await pay(id, 119)
    expect([status, await overdueEvents(id)]).toEqual(['PAID', 0])
    const body = await refund(id, payments[0].id, given)
    expect(body).toMatchObject({ status: 'OVERDUE', paidAt: null, overdueAt: began.toISOString() })
    expect((await platform.eventTypesOf(id)).slice(-3)).toEqual([
      'invoice.updated',
      'payment.refunded',
      'invoice.overdue',
    ])
    expect(await at(id, nextDay)).toEqual(['OVERDUE', began.toISOString(), 1])
  })

  it('in parts is overdue once', async () => {
    const { id } = await pastDue()
    const { payments } = await pay(id, 119)
    for (const amount of [19, 50, 50]) await refund(id, payments[0].id, { amount })
    expect(await at(id, nextDay)).toEqual(['OVERDUE', began.toISOString(), 1])
  })

  it('leaves an OVERDUE invoice as it was', async () => {
    const id = await overdue()
    const { payments } = await pay(id, 100)
    expect(await at(id, nextDay)).toEqual(['OVERDUE', nextDay.toISOString(), 2])
    expect(await refund(id, payments[0].id, { amount: 40 })).toMatchObject({
      status: 'OVERDUE',
      amountPaid: 60,
      amountDue: 59,
      overdueAt: nextDay.toISOString(),
    })
    expect(await at(id, new Date('2027-02-03T10:00:00.000Z'))).toEqual(['OVERDUE', nextDay.toISOString(), 2])
  })

  it('leaves an invoice PAID that was paid twice, and an UNCOLLECTIBLE one UNCOLLECTIBLE', async () => {
    const { id } = await pastDue()
    const body = { amount: 129, allowOverpayment: true }
    const { payments } = (await member.rest.invoicePayment!({ id, body })).body
    expect(await refund(id, payments[0].id, { amount: 10 })).toMatchObject({ status: 'PAID', overdueAt: null })
    const lost = await pastDue()
    const paid = await pay(lost.id, 19)
    await member.rest.invoiceMarkUncollectible!({ id: lost.id })
    expect(await refund(lost.id, paid.payments[0].id)).toMatchObject({ status: 'UNCOLLECTIBLE', overdueAt: null })
    expect([await overdueEvents(id), await overdueEvents(lost.id)]).toEqual([0, 0])
  })
})

describe('a status change that is allowed', () => {
  const states = { SENT: pastDue, OVERDUE: overdue, PARTIALLY_PAID: pastDue, UNCOLLECTIBLE: pastDue }
  const paid = { status: 'PAID', amountDue: 0, paidAt: began.toISOString(), uncollectibleAt: null, voidedAt: null }
  const isVoid = { status: 'VOID', amountDue: 119, paidAt: null, voidedAt: began.toISOString(), voidReason: 'Wrong.' }
  const lost = { status: 'UNCOLLECTIBLE', paidAt: null, uncollectibleAt: began.toISOString(), voidedAt: null }

  it.each([
    ['OVERDUE', 'invoiceVoid', { reason: 'Wrong.' }, isVoid, 'invoice.voided'],
    ['OVERDUE', 'invoiceMarkUncollectible', null, lost, 'invoice.marked_uncollectible'],
    ['OVERDUE', 'invoiceRecordPayment', { amount: 119 }, paid, 'invoice.paid'],
    ['PARTIALLY_PAID', 'invoiceMarkUncollectible', null, lost, 'invoice.marked_uncollectible'],
    ['UNCOLLECTIBLE', 'invoiceVoid', { reason: 'Wrong.' }, isVoid, 'invoice.voided'],
    [
      'UNCOLLECTIBLE',
      'invoiceRecordPayment',
      { amount: 119 },
      { ...paid, uncollectibleAt: began.toISOString() },
      'invoice.paid',
    ],
  ] as const)('of %s by %s', async (from, operation, body, expected, type) => {
    const state = await states[from]()
    const id = typeof state === 'string' ? state : state.id
    if (from === 'PARTIALLY_PAID') await pay(id, 19)
    if (from === 'UNCOLLECTIBLE') await member.rest.invoiceMarkUncollectible!({ id })
    expect((await member.rest.invoice!({ id })).body.status).toBe(from)
    const answer = await member.rest[operation]!({ id, ...(body && { body }) })
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(expected)])
    expect((await member.rest.invoice!({ id })).body).toEqual(answer.body)
    expect((await platform.eventTypesOf(id)).at(-1)).toBe(type)
    // The clock changes nothing of it any more.
    expect((await at(id, nextDay))[0]).toBe(expected.status)
  })

  it('is none of an UNCOLLECTIBLE invoice of which a part is paid', async () => {
    const { id } = await pastDue()
    await member.rest.invoiceMarkUncollectible!({ id })
    expect(await pay(id, 19)).toMatchObject({ status: 'UNCOLLECTIBLE', amountPaid: 19, amountDue: 100, paidAt: null })
    expect((await platform.eventTypesOf(id)).slice(-2)).toEqual(['invoice.updated', 'payment.recorded'])
  })
})

describe('invoiceStats', () => {
  it('has the figures of each currency and of all in the base currency, with the days to pay', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Stats'), role: 'ADMIN' })
    await platform.query(
      `insert into identity.exchange_rate (id, organization_id, base_currency, currency, date, rate, created_at, updated_at)
       values (gen_random_uuid(), $1, 'USD', 'EUR', '2026-01-01', 1.25, now(), now())`,
      [other.organizationId],
    )
    const { id: customerId } = await account(other)
    const priced = (unitPrice: number) => ({ lineItems: [{ name: 'Fee', quantity: 1, unitPrice }] })
    const send = async (currency: string, unitPrice: number, issueDate: string, paidAt?: string) => {
      const values = { customerId, currency, issueDate, ...priced(unitPrice) }
      const { id } = await sentInvoice(other, values)
      if (paidAt) await other.rest.invoicePayment!({ id, body: { amount: unitPrice, paidAt } })
      return id as string
    }
    await send('USD', 100, '2027-01-02', '2027-01-12T08:00:00Z')
    await send('USD', 50, '2027-01-02', '2027-01-27T23:00:00Z')
    await send('EUR', 200, '2026-11-01', '2026-11-05T08:00:00Z')
    await send('EUR', 80, '2027-01-30')
    // 30 days to pay: it is overdue, and its currency has no rate.
    await send('JPY', 700, '2026-12-01')
    await other.rest.invoiceVoid!({ id: await send('USD', 1000, '2027-01-02') })
    await invoice(other, { customerId, ...priced(1000) })
    await invoiceOverdue.run(platform.services)

    const { body } = await other.rest.invoiceStats!({})
    expect(body).toEqual({
      total: 7,
      byStatus: { DRAFT: 1, SENT: 1, PARTIALLY_PAID: 0, OVERDUE: 1, PAID: 3, VOID: 1, UNCOLLECTIBLE: 0 },
      countByStatus: { DRAFT: 1, SENT: 1, PARTIALLY_PAID: 0, OVERDUE: 1, PAID: 3, VOID: 1, UNCOLLECTIBLE: 0 },
      currency: 'USD',
      totalInvoiced: 500,
      totalPaid: 400,
      totalCredited: 0,
      totalOutstanding: 100,
      totalOverdue: 0,
      averageDaysToPay: 13,
      dso: 36,
      collectionRate: 0.8,
      byCurrency: [
        {
          currency: 'EUR',
          count: 2,
          totalInvoiced: 280,
          totalPaid: 200,
          totalCredited: 0,
          totalOutstanding: 80,
          totalOverdue: 0,
          averageDaysToPay: 4,
          dso: 90,
          collectionRate: 0.7143,
        },
        {
          currency: 'JPY',
          count: 1,
          totalInvoiced: 700,
          totalPaid: 0,
          totalCredited: 0,
          totalOutstanding: 700,
          totalOverdue: 700,
          averageDaysToPay: null,
          dso: 90,
          collectionRate: 0,
        },
        {
          currency: 'USD',
          count: 4,
          totalInvoiced: 150,
          totalPaid: 150,
          totalCredited: 0,
          totalOutstanding: 0,
          totalOverdue: 0,
          averageDaysToPay: 17.5,
          dso: 0,
          collectionRate: 1,
        },
      ],
    })
  })
})

describe('what is owed and late', () => {
  it('counts as overdue at once after a part payment', async () => {
    const alone = await platform.member({ organizationId: await platform.organization('Late') })
    const { id } = await sentInvoice(alone, { issueDate: '2026-12-21', dueDate: '2027-01-20' })
    await sentInvoice(alone, { issueDate: '2027-01-20', dueDate: '2027-02-20' })
    const late = async () => (await alone.rest.invoiceStats!()).body.totalOverdue
    expect(await late()).toBe(119)
    await invoiceOverdue.run(platform.services)
    expect(await late()).toBe(119)
    const { body } = await alone.rest.invoicePayment!({ id, body: { amount: 19 } })
    expect([body.status, body.daysOverdue, await late()]).toEqual(['PARTIALLY_PAID', 12, 100])
    await alone.rest.invoicePayment!({ id, body: { amount: 100 } })
    expect(await late()).toBe(0)
  })
})
