import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../subgraphs/kernel/time/business-hours.fixture.ts'
import { account, creditNote, each, sentInvoice } from '../builders.ts'
import { expectValidEvents, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  const organizationId = await platform.organization('Aging')
  member = await platform.member({ organizationId, role: 'ADMIN' })
})
afterAll(() => expectValidEvents(platform))

const priced = (unitPrice: number) => ({ lineItems: [{ name: 'Fee', quantity: 1, unitPrice }] })
const aging = async (who: Member, query: Readonly<Record<string, string>> = {}) =>
  (await who.rest.invoiceAging!({ query })).body
const amounts = ({ buckets }: { buckets: { amount: number }[] }) => buckets.map(({ amount }) => amount)
const pay = (id: string, amount: number, paidAt: string) =>
  member.rest.invoicePayment!({ id, body: { amount, paidAt } })

describe('invoiceAging', () => {
  it('shows what was open at the end of a day, by age', async () => {
    const [one, two] = [await account(member, { name: 'One' }), await account(member, { name: 'Two' })]
    const issue = { issueDate: '2026-10-01' }
    const first = await sentInvoice(member, { customerId: one.id, ...issue, dueDate: '2027-02-01', ...priced(100) })
    await sentInvoice(member, { customerId: one.id, ...issue, dueDate: '2027-01-31', ...priced(10) })
    await sentInvoice(member, { customerId: two.id, ...issue, dueDate: '2027-01-02', ...priced(20) })
    await sentInvoice(member, { customerId: two.id, ...issue, dueDate: '2027-01-01', ...priced(30) })
    const old = await sentInvoice(member, { customerId: two.id, ...issue, dueDate: '2026-11-02', ...priced(50) })
    const paid = await sentInvoice(member, { customerId: one.id, ...issue, dueDate: '2026-11-30', ...priced(40) })
    await pay(paid.id, 15, '2026-12-15T12:00:00Z')
    await pay(paid.id, 25, '2027-01-15T12:00:00Z')
    const wrong = await sentInvoice(member, { customerId: one.id, ...issue, dueDate: '2027-03-01', ...priced(1000) })
    await member.rest.invoiceVoid!({ id: wrong.id })

    const today = await aging(member)
    expect(today).toMatchObject({ asOf: '2027-02-01T00:00:00.000Z', currency: 'USD', total: 210 })
    expect(amounts(today)).toEqual([100, 30, 30, 0, 50])
    expect(today.buckets[1]).toEqual({
      key: 'DAYS_1_30',
      minDays: 1,
      maxDays: 30,
      count: 2,
      amount: 30,
      percent: 14.29,
    })
    expect(today.byCustomer).toEqual([
      {
        customerId: one.id,
        name: 'One',
        current: 100,
        days1To30: 10,
        days31To60: 0,
        days61To90: 0,
        daysOver90: 0,
        total: 110,
        unappliedCredit: 0,
        balance: 110,
        oldestInvoiceId: expect.any(String),
        medianDaysLate: 46,
      },
      {
        customerId: two.id,
        name: 'Two',
        current: 0,
        days1To30: 20,
        days31To60: 30,
        days61To90: 0,
        daysOver90: 50,
        total: 100,
        unappliedCredit: 0,
        balance: 100,
        oldestInvoiceId: old.id,
        medianDaysLate: null,
      },
    ])
    // (10 × 1 + 20 × 30 + 30 × 31 + 50 × 91) ÷ 210
    expect(today.weightedAverageDaysOverdue).toBe(29)
    expect(today.byCurrency).toMatchObject([{ currency: 'USD', total: 210 }])

    // The void invoice counts until it was voided; the paid one owes what was paid later.
    expect(amounts(await aging(member, { asOf: '2027-01-14' }))).toEqual([1110, 50, 25, 50, 0])
    expect(amounts(await aging(member, { asOf: '2026-12-14' }))).toEqual([1160, 40, 50, 0, 0])
    expect((await aging(member, { asOf: '2026-09-30' })).total).toBe(0)
    expect((await aging(member, { customerId: one.id })).total).toBe(110)
    expect((await aging(member, { asOf: '2027-01-14', customerId: one.id })).total).toBe(1135)
    expect(amounts(await aging(member, { asOf: '2027-03-04' }))).toEqual([0, 0, 110, 50, 50])

    await member.rest.invoiceMarkUncollectible!({ id: first.id })
    expect((await aging(member)).total).toBe(110)
    const readOnly = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    expect((await aging(readOnly)).total).toBe(0)
  })

  it('computes days sales outstanding and the collection effectiveness', async () => {
    const other = await platform.member({ organizationId: await platform.organization('DSO') })
    const customerId = (await account(other)).id
    const send = (issueDate: string, unitPrice: number) =>
      sentInvoice(other, { customerId, issueDate, dueDate: '2027-02-01', ...priced(unitPrice) })
    const opening = await send('2026-10-01', 600)
    await send('2026-12-01', 300)
    await other.rest.invoicePayment!({ id: opening.id, body: { amount: 500, paidAt: '2027-01-10T00:00:00Z' } })
    // Opening 600, sales 300, closing 400, all of it overdue on the next day.
    expect(await aging(other, { asOf: '2027-02-02' })).toMatchObject({ total: 400, dso: 120, cei: 55.56 })
    const stats = (await other.rest.invoiceStats!({})).body
    expect(stats).toMatchObject({
      total: 2,
      byStatus: { SENT: 1, PARTIALLY_PAID: 1, PAID: 0 },
      currency: 'USD',
      totalInvoiced: 900,
      totalPaid: 500,
      totalOutstanding: 400,
      totalOverdue: 0,
      averageDaysToPay: null,
      dso: 120,
      collectionRate: 0.5556,
      byCurrency: [{ currency: 'USD', count: 2, totalInvoiced: 900, dso: 120 }],
    })
  })

  it('converts to the base currency, and lists each currency', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Rates'), role: 'ADMIN' })
    const customerId = (await account(other)).id
    const send = (currency: string, unitPrice: number) =>
      sentInvoice(other, { customerId, currency, ...priced(unitPrice) })
    await platform.query(
      `insert into identity.exchange_rate (id, organization_id, base_currency, currency, date, rate, created_at, updated_at)
       values (gen_random_uuid(), $1, 'USD', 'EUR', '2026-01-01', 1.25, now(), now())`,
      [other.organizationId],
    )
    await send('USD', 10)
    await send('EUR', 8)
    await send('JPY', 700)
    const body = await aging(other)
    expect(body).toMatchObject({ currency: 'USD', total: 20, byCustomer: [{ total: 20, current: 20 }] })
    expect(body.byCurrency.map(({ currency, total }: Record<string, unknown>) => [currency, total])).toEqual([
      ['EUR', 8],
      ['JPY', 700],
      ['USD', 10],
    ])
  })

  it('subtracts the credit that was left at the end of the day, as the statements do', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Credit'), role: 'ADMIN' })
    await platform.query(
      `insert into identity.exchange_rate (id, organization_id, base_currency, currency, date, rate, created_at, updated_at)
       values (gen_random_uuid(), $1, 'USD', 'EUR', '2026-01-01', 1.25, now(), now())`,
      [other.organizationId],
    )
    const [one, two, three] = await each(['One', 'Two', 'Three'], (name) => account(other, { name }))
    const issue = { issueDate: '2027-01-01', dueDate: '2027-01-31' }
    const first = await sentInvoice(other, { customerId: one!.id, ...issue, ...priced(100) })
    await sentInvoice(other, { customerId: two!.id, ...issue, ...priced(60) })
    const note = async (customerId: unknown, currency: string, unitPrice: number) => {
      const { id } = await creditNote(other, { customerId, currency, issueDate: '2027-01-10', ...priced(unitPrice) })
      expect((await other.rest.creditNoteIssue!({ id: id as string, body: {} })).status).toBe(200)
      return id as string
    }
    const [applied, inEuro, , voided] = [
      await note(one!.id, 'USD', 70),
      await note(one!.id, 'EUR', 8),
      await note(three!.id, 'USD', 5),
      await note(two!.id, 'USD', 1000),
    ]
    await creditNote(other, { customerId: two!.id, ...priced(500) })
    await other.rest.creditNoteVoid!({ id: voided, body: { reason: 'Twice' } })
    await other.rest.creditNoteApply!({ id: applied, body: { applications: [{ invoiceId: first.id, amount: 30 }] } })
    await other.rest.creditNoteRefund!({ id: applied, body: { amount: 15.5 } })
    await other.rest.creditNoteRefund!({ id: inEuro, body: { amount: 2 } })

    type Figures = Record<'total' | 'unappliedCredit' | 'balance', number | null>
    const brief = ({ total, unappliedCredit, balance }: Figures) => [total, unappliedCredit, balance]
    const today = await aging(other)
    expect(brief(today)).toEqual([130, 37, 93])
    expect(today.byCustomer.map((row: Figures & { name: string }) => [row.name, ...brief(row)])).toEqual([
      ['One', 70, 32, 38],
      ['Two', 60, 0, 60],
    ])
    expect(today.byCurrency.map((row: Figures & { currency: string }) => [row.currency, ...brief(row)])).toEqual([
      ['EUR', 0, 6, -6],
      ['USD', 130, 29.5, 100.5],
    ])
    expect(brief(await aging(other, { customerId: three!.id as string }))).toEqual([0, 5, -5])
    // Before what happened today, and before the credit notes.
    expect(brief(await aging(other, { asOf: '2027-01-31' }))).toEqual([160, 1085, -925])
    expect(brief(await aging(other, { asOf: '2027-01-10', customerId: one!.id as string }))).toEqual([100, 80, 20])
    expect(brief(await aging(other, { asOf: '2027-01-09' }))).toEqual([160, 0, 160])
    for (const to of ['2027-02-01', '2027-01-31', '2027-01-09'])
      for (const { id } of [one!, two!, three!]) {
        const { body } = await other.rest.accountStatement!({ id: id as string, query: { from: '2026-01-01', to } })
        const { byCurrency } = await aging(other, { asOf: to, customerId: id as string })
        const inDollars = byCurrency.find(({ currency }: { currency: string }) => currency === 'USD')
        expect(inDollars?.balance ?? 0).toBe(body.closingBalance)
      }

    const own = await platform.member({ organizationId: other.organizationId, visibility: 'OWN' })
    expect(brief(await aging(own))).toEqual([0, 0, 0])
  })

  it('expects a payment as late as the customer usually pays', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Habits'), role: 'ADMIN' })
    const customerId = (await account(other)).id
    const issue = { customerId, issueDate: '2026-10-01' }
    for (const paidOn of ['2026-10-29', '2026-11-08', '2026-12-30']) {
      const { id } = await sentInvoice(other, { ...issue, dueDate: '2026-11-01', ...priced(10) })
      await other.rest.invoicePayment!({ id, body: { amount: 10, paidAt: `${paidOn}T12:00:00Z` } })
    }
    const open = await sentInvoice(other, { ...issue, dueDate: '2027-01-30', ...priced(10) })
    const stranger = (await account(other)).id
    const first = await sentInvoice(other, { ...issue, customerId: stranger, dueDate: '2027-01-30', ...priced(10) })
    const { body } = await other.graphql('{ invoiceList { data { id status expectedPaymentDate } } }')
    const byId = new Map(
      body.data.invoiceList.data.map((one: Record<string, string>) => [one['id'], one['expectedPaymentDate']]),
    )
    expect([byId.get(open.id), byId.get(first.id)]).toEqual(['2027-02-06T00:00:00.000Z', null])
    expect([...byId.values()].filter((day) => day !== null)).toHaveLength(1)
    expect((await aging(other)).byCustomer.map((one: Record<string, unknown>) => one['medianDaysLate'])).toEqual(
      expect.arrayContaining([7, null]),
    )
  })

  it('refuses what is no day or no id', async () => {
    for (const [query, problem] of [
      [{ asOf: 'yesterday' }, 'asOf'],
      [{ customerId: 'x' }, 'customerId'],
    ] as const)
      expect((await refusedInputs(platform, () => member.rest.invoiceAging!({ query })))[2]).toContain(problem)
  })
})

/** An invoice as a ledger: what is open at the end of a day follows from its entries. */
interface Ledger {
  readonly id: string
  readonly issued: string
  readonly total: number
  readonly moves: { readonly at: string; readonly amount: number; readonly paymentId?: string }[]
  closedAt: string | null
}

describe.each([
  { seed: 1, currency: 'USD', decimals: 2 },
  { seed: 2, currency: 'USD', decimals: 2 },
  { seed: 3, currency: 'JPY', decimals: 0 },
  { seed: 4, currency: 'KWD', decimals: 3 },
])(
  'after a random sequence of payments and refunds, sent at once (seed $seed, $currency)',
  ({ seed, currency, decimals }) => {
    const scale = 10 ** decimals
    const cents = (value: number): number => Math.round(value * scale)

    it('amountDue is total − payments + refunds, and the buckets are the open balance at any day', async () => {
      const random = seededRandom(seed)
      const organizationId = await platform.organization(`Random ${seed}`)
      const other = await platform.member({ organizationId, role: 'ADMIN' })
      await platform.query(
        `update identity.organization set settings = jsonb_build_object('baseCurrency', $2::text) where id = $1`,
        [organizationId, currency],
      )
      const customers = [(await account(other)).id, (await account(other)).id]
      const dayAgo = (days: number) => new Date(platform.now.getTime() - days * 86_400_000).toISOString()
      const ledgers: Ledger[] = []
      for (let index = 0; index < 8; index += 1) {
        const age = 10 + random(150)
        const issued = dayAgo(age).slice(0, 10)
        const dueDate = dayAgo(age - random(60)).slice(0, 10)
        const { id, total } = await sentInvoice(other, {
          customerId: customers[index % 2],
          issueDate: issued,
          dueDate,
          currency,
          ...priced((10 * scale + random(90 * scale)) / scale),
        })
        ledgers.push({ id, issued, total, moves: [], closedAt: null })
      }
      for (let round = 0; round < 6; round += 1) {
        await Promise.all(
          ledgers.map(async (ledger) => {
            const paidAt = dayAgo(random(10 + round))
            const recorded = ledger.moves.find(({ paymentId }) => paymentId !== undefined)
            if (recorded && random(3) === 0) {
              const amount = random(2) ? null : 1 / scale
              const { status, body } = await other.rest.invoiceRefundPayment!({
                id: ledger.id,
                paymentId: recorded.paymentId!,
                body: { amount },
              })
              if (status === 200) {
                const refund = body.refunds.at(-1)
                ledger.moves.push({ at: refund.refundedAt, amount: -refund.amount })
              }
              return
            }
            const wanted = [1, 2, 3].map(() => (1 + random(40 * scale)) / scale)
            const answers = await Promise.all(
              wanted.map((amount) => other.rest.invoicePayment!({ id: ledger.id, body: { amount, paidAt } })),
            )
            for (const [index, { status, body }] of answers.entries()) {
              if (status !== 200) continue
              const payment = body.payments.find(
                (one: { amount: number; id: string }) =>
                  one.amount === wanted[index] && !ledger.moves.some(({ paymentId }) => paymentId === one.id),
              )
              ledger.moves.push({ at: paidAt, amount: payment.amount, paymentId: payment.id })
            }
          }),
        )
      }
      await other.rest.invoiceMarkUncollectible!({ id: ledgers[0]!.id })
      for (const ledger of ledgers) {
        const { body } = await other.rest.invoice!({ id: ledger.id })
        const paid = ledger.moves.reduce((sum, { amount }) => sum + cents(amount), 0)
        expect([cents(body.amountPaid), cents(body.amountDue)]).toEqual([paid, cents(body.total) - paid])
        expect(body.amountDue).toBeGreaterThanOrEqual(0)
        expect(body.status === 'PAID').toBe(body.amountDue === 0)
        if (body.status === 'UNCOLLECTIBLE') ledger.closedAt = body.uncollectibleAt
      }
      for (const days of [0, 1, 3, 5, 8, 13, 30, 60, 100, 200]) {
        const asOf = dayAgo(days).slice(0, 10)
        const end = new Date(Date.parse(asOf) + 86_400_000).toISOString()
        const open = ledgers
          .filter(({ issued, closedAt }) => issued <= asOf && (closedAt === null || closedAt >= end))
          .map(({ total, moves }) =>
            moves.filter(({ at }) => at < end).reduce((left, { amount }) => left - cents(amount), cents(total)),
          )
          .filter((left) => left > 0)
        const report = await aging(other, { asOf })
        const sumOf = (values: number[]) => values.reduce((sum, value) => sum + cents(value), 0)
        const expected = open.reduce((sum, left) => sum + left, 0)
        expect([asOf, sumOf(amounts(report)), cents(report.total)]).toEqual([asOf, expected, expected])
        expect(report.buckets.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(open.length)
        expect(sumOf(report.byCustomer.map(({ total }: { total: number }) => total))).toBe(expected)
        const alone = await each(customers, async (customerId) => (await aging(other, { asOf, customerId })).total)
        expect(sumOf(alone)).toBe(expected)
      }
    })
  },
)
