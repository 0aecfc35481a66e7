import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, aLine, creditNote, order, quote, sentInvoice } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type RestClient } from '../rest-client.ts'

const platform = usePlatform()
let member: Member
let rates: RestClient

/** Today is 1 February 2027: the rate of the euro changes three times before, and once after. */
beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Rates'), role: 'ADMIN' })
  const session = await sessionOf(platform, member)
  rates = restClient(platform.contract, platform.url, { Authorization: `Bearer ${session}` })
  for (const [date, rate] of [
    ['2026-01-01', 1.25],
    ['2027-01-15', 1.5],
    ['2027-02-01', 2],
    ['2027-02-02', 99],
  ] as const)
    await setRate(date, rate)
})

async function setRate(date: string, rate: number): Promise<{ id: string }> {
  const { status, body } = await rates.exchangeRateSet!({ body: { currency: 'EUR', date, rate } })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

const priced = (unitPrice: number) => ({ currency: 'EUR', lineItems: [aLine({ unitPrice })] })

/** The figures now, and after a later rate: those of past days are the same. */
async function twice<T>(read: () => Promise<T>): Promise<[T, T]> {
  const before = await read()
  const { id } = await setRate('2027-01-31', 7)
  const after = await read()
  await rates.exchangeRateDelete!({ id })
  return [before, after]
}

describe('orderStats', () => {
  it('converts each order at the rate of its day', async () => {
    const sold = async (unitPrice: number, orderDate: string | null, currency = 'EUR') => {
      const { id } = await order(member, { ...priced(unitPrice), currency, ...(orderDate && { orderDate }) })
      await member.rest.orderConfirm!({ id })
    }
    await sold(10.01, '2027-01-14')
    await sold(20, '2027-01-15')
    await sold(30, null)
    await sold(1000, '2025-12-31')
    await sold(5, '2025-12-31', 'USD')
    const stats = async (query = {}) => {
      const { totalAmount, totalByCurrency } = (await member.rest.orderStats!({ query })).body
      return [totalAmount, totalByCurrency.map(({ sum }: { sum: number }) => sum)] as const
    }
    // 12.5125 + 30 + 60 + 5; the order before the first rate is left out.
    const expected = [107.51, [1060.01, 5]]
    expect(await twice(stats)).toEqual([expected, expected])
    expect(await stats({ currency: 'USD' })).toEqual([5, [5]])
    expect(await stats({ createdAfter: '2020-01-01', currency: 'EUR' })).toEqual(await stats({ currency: 'EUR' }))
    expect(await stats({ status: 'DRAFT' })).toEqual([0, []])
  })
})

describe('quoteStats', () => {
  it('converts an accepted quote at the rate of the day on which it was accepted, and an open one at that of today', async () => {
    const accepted = async (unitPrice: number, acceptedAt: string) => {
      const { id } = await quote(member, priced(unitPrice))
      await platform.query(`update commerce.quote set status = 'ACCEPTED', accepted_at = $2 where id = $1`, [
        id,
        acceptedAt,
      ])
    }
    await accepted(10.01, '2027-01-14T23:59:59.999Z')
    await accepted(20, '2027-01-15T00:00:00Z')
    await quote(member, priced(7))
    const stats = async (reader: Member) => {
      const { totalOpen, totalAccepted } = (await reader.rest.quoteStats!()).body
      return [totalOpen, totalAccepted]
    }
    const expected = [14, 42.51]
    expect(await twice(() => stats(member))).toEqual([expected, expected])
    const limited = await platform.member({ organizationId: member.organizationId })
    const ctx = systemContext(platform.services, member.organizationId)
    const { id } = await createProfile(ctx, { name: 'No acceptance', fields: { quote: { acceptedAt: 'HIDDEN' } } })
    await assignProfile(ctx, limited.userId, id)
    expect(await stats(limited)).toEqual([14, 60.02])
  })
})

describe('invoiceStats', () => {
  it('converts what was invoiced, paid and credited at the rate of the day of the invoice, and what is due at that of today', async () => {
    const { id: customerId } = await account(member)
    const sent = async (unitPrice: number, values: object) =>
      (await sentInvoice(member, { customerId, ...priced(unitPrice), ...values })).id as string
    const paid = await sent(200, { issueDate: '2026-11-01' })
    const { status } = await member.rest.invoicePayment!({ id: paid, body: { amount: 200, paidAt: '2027-01-20' } })
    expect(status).toBe(200)
    const open = await sent(80, { issueDate: '2027-01-30', dueDate: '2027-01-31' })
    await sent(1000, { issueDate: '2025-12-31', dueDate: '2027-03-01' })
    await member.rest.invoiceVoid!({ id: await sent(500, { issueDate: '2027-01-30' }) })
    const note = await creditNote(member, { customerId, ...priced(30) })
    await member.rest.creditNoteIssue!({ id: note.id })
    const applied = await member.rest.creditNoteApply!({ id: note.id, body: { applications: [{ invoiceId: open }] } })
    expect(applied.status, JSON.stringify(applied.body)).toBe(200)
    const stats = async (reader = member, query = {}) => (await reader.rest.invoiceStats!({ query })).body
    const [before, after] = await twice(() => stats())
    // 250 + 120, of which 250 are paid and 45 credited. What is due counts 2 for each euro, also of the invoice before the first rate.
    expect(before).toMatchObject({
      totalInvoiced: 370,
      totalPaid: 250,
      totalCredited: 45,
      totalOutstanding: 2100,
      totalOverdue: 100,
      dso: 1575,
      collectionRate: 0.6757,
      byCurrency: [
        {
          currency: 'EUR',
          totalInvoiced: 1280,
          totalPaid: 200,
          totalCredited: 30,
          totalOutstanding: 1050,
          totalOverdue: 50,
        },
      ],
    })
    expect(after).toEqual(before)
    expect(await stats(member, { status: 'PAID' })).toMatchObject({
      totalInvoiced: 250,
      totalPaid: 250,
      totalCredited: 0,
      totalOutstanding: 0,
    })
    const own = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    expect(await stats(own)).toMatchObject({ total: 0, totalInvoiced: 0, totalCredited: 0, byCurrency: [] })

    const { id: applicationId } = applied.body.applications[0]
    await member.rest.creditNoteReverseApplication!({ id: note.id, applicationId, body: {} })
    expect(await stats()).toMatchObject({ totalInvoiced: 370, totalCredited: 0, totalOutstanding: 2160 })
  })
})
