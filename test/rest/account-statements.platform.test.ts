import { beforeAll, describe, expect, it } from 'vitest'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { account, aLine, sentInvoice } from '../builders.ts'
import { refused, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let organizationId: string
let member: Member

beforeAll(async () => {
  organizationId = await platform.organization('Statements')
  member = await platform.member({ organizationId, role: 'ADMIN' })
})

const statement = (id: string, query: Readonly<Record<string, string>> = {}, who = member) =>
  who.rest.accountStatement!({ id, query })
const sent = (customerId: string, unitPrice: number, issueDate: string, more: object = {}) =>
  sentInvoice(member, { customerId, issueDate, lineItems: [aLine({ unitPrice })], ...more })
const pay = async (id: string, amount: number, paidAt: string, reference: string | null = null) => {
  const { status, body } = await member.rest.invoiceRecordPayment!({ id, body: { amount, paidAt, reference } })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.payments.at(-1).id as string
}

/** A customer with invoices, payments and a refund before and in January 2027. */
async function aCustomer() {
  const { id } = await account(member, { name: 'Baltic Ferries' })
  const old = await sent(id, 100.1, '2026-12-01', { dueDate: '2026-12-20' })
  await pay(old.id, 40.05, '2026-12-31T23:59:59Z')
  const first = await sent(id, 1000.25, '2027-01-05', { dueDate: '2027-02-04' })
  const paymentId = await pay(first.id, 500, '2027-01-05T10:00:00Z', 'SEPA 1')
  const refund = { amount: 20.5, refundedAt: '2027-01-20T10:00:00Z' }
  await member.rest.invoiceRefundPayment!({ id: first.id, paymentId, body: refund })
  await sent(id, 7, '2027-01-10', { currency: 'EUR' })
  const wrong = await sent(id, 5000, '2027-01-10')
  await member.rest.invoiceVoid!({ id: wrong.id })
  const late = await sent(id, 30, '2027-01-31')
  await sent(id, 9, '2027-02-01')
  return { id, old, first, wrong, late }
}

const january = { from: '2027-01-01', to: '2027-01-31' }

describe('accountStatement', () => {
  it('shows what changed the balance of a customer in a period', async () => {
    const { id, first, wrong, late } = await aCustomer()
    const { body } = await statement(id, { from: '2027-01-01T15:00:00Z', to: '2027-01-31' })
    expect(body).toMatchObject({
      accountId: id,
      currency: 'USD',
      from: '2027-01-01T00:00:00.000Z',
      to: '2027-01-31T00:00:00.000Z',
      openingBalance: 60.05,
      totalInvoiced: 6030.25,
      totalVoided: 0,
      totalPaid: 500,
      totalRefunded: 20.5,
      closingBalance: 5610.8,
      documentUrl: `/v1/accounts/${id}/statement/document?from=2027-01-01&to=2027-01-31&currency=USD`,
    })
    const entry = (day: string, type: string, invoice: { id: string; invoiceNumber: string }) => ({
      date: `2027-01-${day}T00:00:00.000Z`,
      type,
      invoiceId: invoice.id,
      creditNoteId: null,
      number: invoice.invoiceNumber,
      reference: null,
      id: expect.any(String),
    })
    expect(body.entries).toEqual([
      { ...entry('05', 'INVOICE', first), id: first.id, amount: 1000.25, balance: 1060.3 },
      { ...entry('05', 'PAYMENT', first), reference: 'SEPA 1', amount: -500, balance: 560.3 },
      { ...entry('10', 'INVOICE', wrong), id: wrong.id, amount: 5000, balance: 5560.3 },
      { ...entry('20', 'REFUND', first), amount: 20.5, balance: 5580.8 },
      { ...entry('31', 'INVOICE', late), id: late.id, amount: 30, balance: 5610.8 },
    ])
    const aging = (body.aging as { key: string; amount: number }[]).map(({ key, amount }) => [key, amount])
    expect(aging).toEqual([
      ['CURRENT', 5550.75],
      ['DAYS_1_30', 0],
      ['DAYS_31_60', 60.05],
      ['DAYS_61_90', 0],
      ['DAYS_OVER_90', 0],
    ])
  })

  it('begins where the statement before it ends, in the days of the organization', async () => {
    const { id } = await aCustomer()
    const before = await statement(id, { from: '2026-12-01', to: '2026-12-31' })
    expect([before.body.openingBalance, before.body.closingBalance]).toEqual([0, 60.05])
    const euros = await statement(id, { ...january, currency: 'EUR' })
    expect([euros.body.closingBalance, euros.body.entries.length]).toEqual([7, 1])
    const current = await statement(id)
    expect(current.body).toMatchObject({
      from: '2027-02-01T00:00:00.000Z',
      to: '2027-02-01T00:00:00.000Z',
      openingBalance: 5610.8,
      totalVoided: 5000,
      closingBalance: 619.8,
    })
    expect((current.body.entries as { type: string }[]).map(({ type }) => type)).toEqual(['INVOICE', 'VOID'])
    const zone = `update identity.organization set settings = settings || '{"timezone": "Asia/Tokyo"}' where id = $1`
    await platform.query(zone, [organizationId])
    try {
      // The last second of the year in UTC is in the new year in Tokyo.
      expect((await statement(id, january)).body).toMatchObject({ openingBalance: 100.1, totalPaid: 540.05 })
    } finally {
      await platform.query(zone.replace('Asia/Tokyo', 'UTC'), [organizationId])
    }
  })

  it('is an edge of accounts, for at most 20 of them', async () => {
    const { id } = await aCustomer()
    const field = `statement(from: "2027-01-01", to: "2027-01-31") { closingBalance entries { type } }`
    const { body } = await member.graphql(`{ account(id: "${id}") { ${field} } }`)
    expect(body.data.account.statement).toEqual({
      closingBalance: 5610.8,
      entries: ['INVOICE', 'PAYMENT', 'INVOICE', 'REFUND', 'INVOICE'].map((type) => ({ type })),
    })
    for (let count = 0; count < 21; count++) await account(member)
    const many = await member.graphql(`{ accountList(limit: 21) { data { statement { closingBalance } } } }`)
    expect(many.body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([
      'VALIDATION_FAILED',
    ])
  })

  it('is about the invoices that the caller sees, of an account that the caller sees', async () => {
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const { id, late } = await aCustomer()
    expect((await statement(id, january, own)).status).toBe(404)
    await platform.query('update crm.account set owner_id = $2 where id = $1', [id, own.userId])
    await platform.query('update commerce.invoice set owner_id = $2 where id = $1', [late.id, own.userId])
    expect((await statement(id, january, own)).body).toMatchObject({ openingBalance: 0, closingBalance: 30 })
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    expect((await statement(id, january, stranger)).status).toBe(404)
  })

  it('refuses a profile that hides what it shows, and a wrong period', async () => {
    const { id } = await aCustomer()
    const ctx = systemContext(platform.services, organizationId)
    for (const name of ['payments', 'dueDate', 'customerId']) {
      const restricted = await platform.member({ organizationId })
      const profile = await createProfile(ctx, { name, fields: { invoice: { [name]: 'HIDDEN' } } })
      await assignProfile(ctx, restricted.userId, profile.id)
      expect(await refused(platform, () => statement(id, january, restricted))).toEqual([403, 'FIELD_NOT_READABLE'])
    }
    const wrong: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [{ from: '2027-01-02', to: '2027-01-01' }, 'from OUT_OF_RANGE'],
      [{ to: '2027-02-02' }, 'to OUT_OF_RANGE'],
      [{ to: '9999-12-31' }, 'to OUT_OF_RANGE'],
      [{ currency: 'ABC' }, 'currency NOT_A_CURRENCY'],
    ]
    for (const [query, problem] of wrong)
      expect((await refusedInputs(platform, () => statement(id, query))).slice(2)).toEqual([problem])
  })

  it('refuses a period with more than 1,000 entries', async () => {
    const { id } = await account(member)
    await sent(id, 1, '2027-01-01')
    await platform.query(
      `insert into commerce.payment (id, organization_id, owner_id, type, invoice_id, account_id, amount, currency, method, paid_at, status, refunded_amount, created_at, updated_at)
       select gen_random_uuid(), organization_id, owner_id, 'PAYMENT', id, account_id, 1, currency, 'CASH', '2027-01-15', 'SUCCEEDED', 0, now(), now()
       from commerce.invoice, generate_series(1, 1000) where account_id = $1`,
      [id],
    )
    expect((await refusedInputs(platform, () => statement(id, january))).slice(2)).toEqual(['from TOO_MANY'])
    expect((await statement(id, { from: '2027-01-02', to: '2027-01-31' })).body.entries).toHaveLength(1000)
  })
})

describe('accountStatementDocument', () => {
  it('is the statement as a PDF with an ETag of what it shows', async () => {
    const { id } = await aCustomer()
    const read = (headers = {}) => member.rest.accountStatementDocument!({ id, query: january, headers })
    const { status, headers } = await read()
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'application/pdf',
      'attachment; filename="STATEMENT-2027-01-31-USD.pdf"',
    ])
    expect((await read({ 'If-None-Match': headers.get('etag')! })).status).toBe(304)
  })
})
