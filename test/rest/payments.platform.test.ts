import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { account, invoice, sentInvoice } from '../builders.ts'
import { expectValidEvents, refused, unchanged, values } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let organizationId: string
let member: Member

beforeAll(async () => {
  organizationId = await platform.organization('Payments')
  member = await platform.member({ organizationId, role: 'ADMIN' })
})
afterAll(() => expectValidEvents(platform))

const pay = (id: string, body: object, who = member) => who.rest.invoiceRecordPayment!({ id, body })
const list = async (query: Readonly<Record<string, string>>, who = member) => who.rest.paymentList!({ query })

/** Two invoices of a customer over 119 USD with three payments, one of them refunded in part. */
async function somePayments(owner = member) {
  const { id: accountId } = await account(owner)
  const [one, two] = [
    await sentInvoice(owner, { customerId: accountId }),
    await sentInvoice(owner, { customerId: accountId, currency: 'EUR' }),
  ]
  await pay(one.id, { amount: 10.25, method: 'CARD', reference: 'A 1', paidAt: '2027-01-10T12:00:00Z' }, owner)
  const { body } = await pay(
    one.id,
    { amount: 20, reference: 'B 2', note: 'Late.', paidAt: '2027-01-20T12:00:00Z' },
    owner,
  )
  await pay(two.id, { amount: 30, method: 'CASH', paidAt: '2027-01-30T12:00:00Z' }, owner)
  const refundedPaymentId = body.payments[1].id as string
  const refund = { amount: 5, reason: 'Too much.', refundedAt: '2027-01-25T12:00:00Z' }
  await owner.rest.invoiceRefundPayment!({ id: one.id, paymentId: refundedPaymentId, body: refund })
  return { accountId, one, two, refundedPaymentId }
}

describe('paymentList', () => {
  it('has the payments and refunds of all invoices', async () => {
    const { accountId, one, refundedPaymentId } = await somePayments()
    const answer = await list({ accountId, sortBy: 'paidAt', sortOrder: 'asc' })
    const rows = answer.body.data as Record<string, unknown>[]
    expect(rows.map(({ type, amount, currency, method }) => [type, amount, currency, method])).toEqual([
      ['PAYMENT', 10.25, 'USD', 'CARD'],
      ['PAYMENT', 20, 'USD', 'BANK_TRANSFER'],
      ['REFUND', 5, 'USD', 'BANK_TRANSFER'],
      ['PAYMENT', 30, 'EUR', 'CASH'],
    ])
    const [, refunded, refund] = rows
    expect(refunded).toEqual({
      id: refundedPaymentId,
      organizationId,
      ownerId: member.userId,
      type: 'PAYMENT',
      invoiceId: one.id,
      creditNoteId: null,
      accountId,
      refundedPaymentId: null,
      amount: 20,
      currency: 'USD',
      method: 'BANK_TRANSFER',
      reference: 'B 2',
      paidAt: '2027-01-20T12:00:00.000Z',
      note: 'Late.',
      recordedById: member.userId,
      status: 'SUCCEEDED',
      refundedAmount: 5,
      createdAt: platform.now.toISOString(),
      updatedAt: platform.now.toISOString(),
    })
    expect(refund).toMatchObject({ refundedPaymentId, reference: null, note: 'Too much.', status: 'SUCCEEDED' })
    expect((await member.rest.payment!({ id: refundedPaymentId })).body).toEqual(refunded)
    expect(answer.body.total).toBe(4)
  })

  it('is filtered by each of its parameters, and has pages by cursor', async () => {
    const { accountId, one, two, refundedPaymentId } = await somePayments()
    const amounts = async (query: Readonly<Record<string, string>>) =>
      values(await list({ accountId, sortBy: 'amount', sortOrder: 'asc', ...query }), 'amount')
    expect(await amounts({ invoiceId: two.id })).toEqual([30])
    const ofCustomer = await list({ customerId: accountId, sortBy: 'amount', sortOrder: 'asc' })
    expect(values(ofCustomer, 'amount')).toEqual([5, 10.25, 20, 30])
    expect(await amounts({ method: 'CARD,CASH' })).toEqual([10.25, 30])
    expect(await amounts({ type: 'REFUND' })).toEqual([5])
    expect(await amounts({ status: 'REFUNDED' })).toEqual([])
    expect(await amounts({ currency: 'USD', type: 'PAYMENT' })).toEqual([10.25, 20])
    expect(await amounts({ reference: 'B 2' })).toEqual([20])
    expect(await amounts({ search: 'b 2' })).toEqual([20])
    expect(await amounts({ amount: '10.25' })).toEqual([10.25])
    expect(await amounts({ amountFrom: '10.25', amountTo: '20' })).toEqual([10.25, 20])
    expect(await amounts({ paidFrom: '2027-01-20T12:00:00Z', paidBefore: '2027-01-30T12:00:00Z' })).toEqual([5, 20])
    expect(await amounts({ refundedPaymentId })).toEqual([5])
    expect(await amounts({ invoiceId: one.id, limit: '2' })).toEqual([5, 10.25])
    const first = await list({ invoiceId: one.id, sortBy: 'amount', sortOrder: 'asc', limit: '2' })
    const second = await list({
      invoiceId: one.id,
      sortBy: 'amount',
      sortOrder: 'asc',
      limit: '2',
      cursor: first.body.nextCursor,
    })
    expect([values(second, 'amount'), second.body.hasMore]).toEqual([[20], false])
  })

  it('shows the payments of the invoices that the caller sees, also after a new owner', async () => {
    const other = await platform.member({ organizationId, visibility: 'OWN' })
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const { accountId, one, refundedPaymentId } = await somePayments(own)
    expect(values(await list({ accountId }, own), 'amount')).toHaveLength(4)
    expect((await list({ accountId }, other)).body).toMatchObject({ data: [], total: 0 })
    expect((await other.rest.payment!({ id: refundedPaymentId })).status).toBe(404)
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    expect((await stranger.rest.payment!({ id: refundedPaymentId })).status).toBe(404)
    await platform.query('update commerce.invoice set owner_id = $2 where id = $1', [one.id, other.userId])
    expect(values(await list({ accountId, sortBy: 'amount', sortOrder: 'desc' }, other), 'amount')).toEqual([
      20, 10.25, 5,
    ])
    expect(values(await list({ accountId }, own), 'amount')).toEqual([30])
  })

  it('is refused to a profile that hides the payments of invoices, also as sums; a hidden customer and a hidden owner are left out', async () => {
    const { accountId, refundedPaymentId } = await somePayments()
    const withProfile = async (invoice: Readonly<Record<string, 'HIDDEN'>>) => {
      const restricted = await platform.member({ organizationId })
      const ctx = systemContext(platform.services, organizationId)
      const { id } = await createProfile(ctx, { name: Object.keys(invoice).join(), fields: { invoice } })
      await assignProfile(ctx, restricted.userId, id)
      return restricted
    }
    const restricted = await withProfile({ payments: 'HIDDEN' })
    const calls = [
      () => list({}, restricted),
      () => restricted.rest.payment!({ id: refundedPaymentId }),
      () => restricted.rest.paymentAggregate!({ query: { sum: 'amount' } }),
    ]
    for (const call of calls) expect(await refused(platform, call)).toEqual([403, 'FIELD_NOT_READABLE'])
    const withoutCustomer = await withProfile({ customerId: 'HIDDEN' })
    const { body } = await withoutCustomer.rest.payment!({ id: refundedPaymentId })
    expect([body.amount, 'accountId' in body]).toEqual([20, false])
    expect(await refused(platform, () => list({ accountId }, withoutCustomer))).toEqual([403, 'FIELD_NOT_READABLE'])
    const withoutOwner = await withProfile({ ownerId: 'HIDDEN' })
    const owned = await withoutOwner.rest.payment!({ id: refundedPaymentId })
    expect([owned.body.amount, 'ownerId' in owned.body]).toEqual([20, false])
    const byOwner = () => list({ ownerId: member.userId }, withoutOwner)
    expect(await refused(platform, byOwner)).toEqual([403, 'FIELD_NOT_READABLE'])
  })

  it('is a list of the graph with its records, and sums by currency and type', async () => {
    const { accountId, one } = await somePayments()
    const query = `query ($filter: PaymentFilter!) {
      paymentConnection(filter: $filter, first: 2) { totalCount nodes { amount account { id } } }
      paymentList(filter: $filter) { data { type invoice { id } refundedPayment { amount } recordedBy { id } } }
      paymentAggregate(filter: $filter, groupBy: [{ field: type }], sum: [amount], sortBy: KEY) { groups { keys { value } sum { value } } }
    }`
    const filter = { account: { id: { eq: accountId } }, currency: { eq: 'USD' } }
    const { body } = await member.graphql(query, { filter })
    expect(body.errors).toBeUndefined()
    expect(body.data).toMatchObject({
      paymentConnection: { totalCount: 3, nodes: [{ account: { id: accountId } }, { account: { id: accountId } }] },
    })
    const rows = body.data.paymentList.data as Record<string, unknown>[]
    expect(rows.find(({ type }) => type === 'REFUND')).toEqual({
      type: 'REFUND',
      invoice: { id: one.id },
      refundedPayment: { amount: 20 },
      recordedBy: { id: member.userId },
    })
  })
})

describe('a reference of a payment', () => {
  const reference = 'SEPA  88213'
  const two = async (who = member) => {
    const customerId = (await account(who)).id
    return [await sentInvoice(who, { customerId }), await sentInvoice(who, { customerId })] as const
  }

  it('is refused with 409 and the id of the payment that has it, whatever its case and spaces', async () => {
    const [one, other] = await two()
    const { body } = await pay(one.id, { amount: 10, reference })
    for (const id of [one.id, other.id]) {
      const { status, body: problem } = await unchanged(platform, () =>
        pay(id, { amount: 5, reference: ' sepa 88213\t' }),
      )
      expect([status, problem.code]).toEqual([409, 'DUPLICATE_DETECTED'])
      expect(problem.errors).toEqual([
        expect.objectContaining({ path: 'reference', code: 'DUPLICATE', conflictingId: body.payments[0].id }),
      ])
    }
    expect((await pay(other.id, { amount: 5, reference: 'SEPA 88214' })).status).toBe(200)
    expect((await pay(other.id, { amount: 5, reference: '' })).status).toBe(200)
    expect((await pay(other.id, { amount: 5, reference: ' ' })).status).toBe(200)
  })

  it('is recorded again if the caller says so, for another customer, after a full refund, and after 24 hours', async () => {
    const [one, other] = await two()
    await pay(one.id, { amount: 10, reference })
    expect((await pay(other.id, { amount: 10, reference, allowDuplicateReference: true })).status).toBe(200)
    const [third, fourth] = await two()
    const { body } = await pay(third.id, { amount: 10, reference })
    expect(body.payments).toHaveLength(1)
    const { id: paymentId } = body.payments[0] as { id: string }
    await member.rest.invoiceRefundPayment!({ id: third.id, paymentId, body: { amount: 4 } })
    expect((await pay(fourth.id, { amount: 10, reference })).status).toBe(409)
    await member.rest.invoiceRefundPayment!({ id: third.id, paymentId })
    expect((await pay(fourth.id, { amount: 10, reference })).status).toBe(200)
    await platform.query(
      `update commerce.payment set created_at = created_at - interval '24 hours' where invoice_id = $1`,
      [fourth.id],
    )
    expect((await pay(third.id, { amount: 10, reference })).status).toBe(200)
  })

  it('does not name a payment that the caller does not see', async () => {
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const [one, other] = await two(own)
    await pay(one.id, { amount: 10, reference }, own)
    await platform.query('update commerce.invoice set owner_id = $2 where id = $1', [one.id, member.userId])
    const { status, body } = await unchanged(platform, () => pay(other.id, { amount: 10, reference }, own))
    expect([status, body.errors[0].code, 'conflictingId' in body.errors[0]]).toEqual([409, 'DUPLICATE', false])
  })

  it('is recorded once by requests at the same time on different invoices', async () => {
    const customerId = (await account(member)).id
    const invoices = await Promise.all(Array.from({ length: 6 }, () => invoice(member, { customerId })))
    for (const { id } of invoices) await member.rest.invoiceSend!({ id, body: {} })
    const answers = await Promise.all(invoices.map(({ id }) => pay(id, { amount: 10, reference })))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
    expect((await list({ accountId: customerId })).body.total).toBe(1)
  })
})
