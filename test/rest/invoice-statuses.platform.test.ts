import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { invoiceOverdue } from '../../subgraphs/commerce/invoice/invoice-overdue.job.ts'
import { sentInvoice } from '../builders.ts'
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
