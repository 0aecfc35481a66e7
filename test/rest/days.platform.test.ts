import { DateTime } from 'luxon'
import { beforeAll, describe, expect, it } from 'vitest'
import { baseAmountAt } from '../../subgraphs/identity/public.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, aLine, lead, opportunity, order, quote, sentInvoice, task } from '../builders.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'

const platform = usePlatform()

/** The organizations with the first and the last millisecond of 10 February 2027 in their time zones. */
const zones = [
  ['America/Los_Angeles', '2027-02-10T08:00:00.000Z', '2027-02-11T07:59:59.999Z'],
  ['Europe/Berlin', '2027-02-09T23:00:00.000Z', '2027-02-10T22:59:59.999Z'],
  ['Asia/Tokyo', '2027-02-09T15:00:00.000Z', '2027-02-10T14:59:59.999Z'],
  ['Pacific/Auckland', '2027-02-09T11:00:00.000Z', '2027-02-10T10:59:59.999Z'],
] as const
const day = '2027-02-10'
const start = platform.now
const members = new Map<string, Member>()

beforeAll(async () => {
  for (const [zone] of zones) {
    const organizationId = await platform.organization(zone)
    await platform.query(
      `update identity.organization set settings = jsonb_build_object('timezone', $2::text) where id = $1`,
      [organizationId, zone],
    )
    members.set(zone, await platform.member({ organizationId, role: 'ADMIN' }))
  }
})

describe.each(zones)('a date without a time in %s', (zone, begin, end) => {
  let member: Member
  beforeAll(() => {
    member = members.get(zone)!
  })

  it('is the begin of the day in opportunities, and their filters count the whole day', async () => {
    const { id, closeDate, originalCloseDate } = await opportunity(member, { closeDate: day })
    expect([closeDate, originalCloseDate]).toEqual([begin, begin])
    const later = await opportunity(member, { closeDate: '2027-02-11' })
    const atEnd = await opportunity(member, { closeDate: end })
    const found = async (query: object) => {
      const { body } = await member.rest.opportunityList!({ query: { ...query, sortOrder: 'asc' } as never })
      return body.data.map((record: { id: string }) => record.id)
    }
    expect(await found({ closeDateBefore: day })).toEqual([])
    expect(await found({ closeDateBefore: '2027-02-11' })).toEqual([id, atEnd.id])
    expect(await found({ closeDateAfter: day })).toEqual([later.id])
    const matching = async (operators: string): Promise<string[]> => {
      const { body } = await member.graphql(
        `{ opportunityList(filter: {closeDate: {${operators}}}, orderBy: [{field: createdAt, direction: ASC}]) { data { id } } }`,
      )
      return body.data.opportunityList.data.map((record: { id: string }) => record.id)
    }
    expect(await matching(`eq: "${day}"`)).toEqual([id, atEnd.id])
    expect(await matching(`lte: "${day}"`)).toEqual([id, atEnd.id])
    expect(await matching(`gte: "${day}"`)).toEqual([id, later.id, atEnd.id])
    expect(await matching(`gt: "${day}"`)).toEqual([later.id])
    expect(await matching(`in: ["${day}"]`)).toEqual([id])
  })

  it('is the whole day in tasks, in a change and in a bulk change', async () => {
    const { id, dueDate, startDate } = await task(member, { startDate: day, dueDate: day })
    expect([startDate, dueDate]).toEqual([begin, end])
    const changed = await member.rest.taskUpdate!({ id, body: { dueDate: '2027-02-09' } })
    expect(changed.body.dueDate).toBe(new Date(Date.parse(end) - 86_400_000).toISOString())
    const { body } = await member.graphql(
      `mutation { taskUpdate(id: "${id}", input: {dueDate: "${day}"}) { dueDate } }`,
    )
    expect(body.data.taskUpdate.dueDate).toBe(end)
  })

  it('is the day of orders and of their lines', async () => {
    const lineItems = [aLine({ startDate: day, endDate: day })]
    const {
      orderDate,
      requestedDate,
      lineItems: lines,
    } = await order(member, {
      orderDate: day,
      requestedDate: day,
      lineItems,
    })
    expect([orderDate, requestedDate, lines[0].startDate, lines[0].endDate]).toEqual([begin, begin, begin, end])
  })

  it('is the close date of a conversion and the day of a payment', async () => {
    const { id } = await lead(member, { company: zone })
    const { body } = await member.rest.leadConvert!({ id, body: { closeDate: day } })
    expect(body.opportunity.closeDate).toBe(begin)
    const unpaid = await sentInvoice(member, { issueDate: '2027-01-01', dueDate: '2027-02-28' })
    expect([unpaid.issueDate, unpaid.dueDate]).toEqual(['2027-01-01T00:00:00.000Z', '2027-02-28T00:00:00.000Z'])
    const paid = await member.rest.invoiceRecordPayment!({
      id: unpaid.id,
      body: { amount: 1, method: 'CASH', paidAt: '2027-01-15' },
    })
    const moved = Date.parse(begin) - Date.parse(`${day}T00:00:00.000Z`)
    expect(paid.body.payments[0].paidAt).toBe(new Date(Date.parse('2027-01-15T00:00:00.000Z') + moved).toISOString())
  })

  it('is midnight UTC where a field means a time', async () => {
    const { body } = await member.rest.opportunityList!({ query: { createdAfter: '2027-02-02' } })
    expect(body.total).toBe(0)
    const since = await member.rest.opportunityList!({ query: { createdAfter: '2027-02-01' } })
    expect(since.body.total).toBe(4)
  })

  it('is the whole last day of a quote, today included, and its page shows that day', async () => {
    platform.now = new Date(Date.parse(begin) + 60_000)
    const { id, validUntil } = await quote(member, { validUntil: day, lineItems: [aLine()] })
    expect(validUntil).toBe(end)
    const to = `reader${zones.findIndex(([name]) => name === zone)}@days.example`
    expect((await member.rest.quoteSend!({ id, body: { to } })).status).toBe(200)
    const [mail] = await mailsTo(platform, to)
    const [link] = /http\S+\/v1\/public\/quotes\/[\w-]{43}/.exec(mail!.text)!
    platform.now = new Date(Date.parse(end) - 60_000)
    expect(await (await fetch(link)).text()).toContain('<b>10 February 2027</b>')
    const accepted = await fetch(`${link}/accept`, {
      method: 'POST',
      body: new URLSearchParams({ name: 'Ines Duarte', consent: 'yes' }),
    })
    expect([accepted.status, (await member.rest.quote!({ id })).body.status]).toEqual([200, 'ACCEPTED'])
    platform.now = start
  })

  it('keeps its weekday and its hour in a recurring task', async () => {
    const at = (time: string) => DateTime.fromISO(time, { zone }).toUTC().toISO()
    const { id } = await task(member, {
      startDate: at('2027-03-04T08:00'),
      dueDate: at('2027-03-08T08:00'),
      reminderAt: at('2027-03-08T07:30'),
      recurrenceRule: 'FREQ=WEEKLY;BYDAY=MO',
    })
    expect((await member.rest.taskComplete!({ id })).status).toBe(200)
    const query = { status: 'NOT_STARTED', dueAfter: '2027-03-09', dueBefore: '2027-03-20' }
    const { body } = await member.rest.taskList!({ query })
    const times = body.data.map((next: Record<string, string>) => [next.startDate, next.dueDate, next.reminderAt])
    expect(times).toEqual([[at('2027-03-11T08:00'), at('2027-03-15T08:00'), at('2027-03-15T07:30')]])
  })

  it('is the day on which an invoice is paid, in its days to pay and in the habit of the customer', async () => {
    platform.now = new Date(Date.parse(end) + 1)
    for (const paidAt of [day, begin, end]) {
      const { id: customerId } = await account(member)
      const dates = { customerId, issueDate: '2027-02-01', dueDate: '2027-02-05' }
      const paid = await sentInvoice(member, { ...dates, currency: 'CHF' })
      const open = await sentInvoice(member, { ...dates, currency: 'SEK' })
      const body = { amount: 119, method: 'CASH', paidAt }
      const payment = await member.rest.invoiceRecordPayment!({ id: paid.id, body })
      expect(payment.body.status).toBe('PAID')
      const { body: read } = await member.graphql(`{ invoice(id: "${open.id}") { expectedPaymentDate } }`)
      expect(read.data.invoice.expectedPaymentDate).toBe('2027-02-10T00:00:00.000Z')
    }
    const { body } = await member.rest.invoiceStats!({})
    const ofPaid = body.byCurrency.find(({ currency }: { currency: string }) => currency === 'CHF')
    expect(ofPaid.averageDaysToPay).toBe(9)
    platform.now = start
  })

  it('is today from its first to its last millisecond, in every read that has today as its default', async () => {
    const { id: customerId } = await account(member)
    for (const moment of [begin, end]) {
      platform.now = new Date(moment)
      const { body } = await member.graphql(
        `query($id: ID!) { invoiceAging { asOf } accountStatement(id: $id) { to } }`,
        { id: customerId },
      )
      expect(body.data).toEqual({
        invoiceAging: { asOf: '2027-02-10T00:00:00.000Z' },
        accountStatement: { to: '2027-02-10T00:00:00.000Z' },
      })
    }
    platform.now = start
  })

  it('has its exchange rate from its first to its last millisecond', async () => {
    const { organizationId } = member
    await platform.query(
      `insert into identity.exchange_rate (id, organization_id, base_currency, currency, date, rate, created_at, updated_at)
       select gen_random_uuid(), $1, 'USD', 'EUR', date, rate, now(), now()
       from (values ('2026-01-01', 1), ($2, 2), ('2027-02-11', 3)) r(date, rate)`,
      [organizationId, day],
    )
    const ctx = systemContext(platform.services, organizationId)
    for (const [moment, rate] of [
      [Date.parse(begin) - 1, 1],
      [Date.parse(begin), 2],
      [Date.parse(end), 2],
      [Date.parse(end) + 1, 3],
    ] as const) {
      platform.now = new Date(moment)
      expect(await baseAmountAt(ctx, 10, 'EUR', platform.now)).toEqual({ baseAmount: 10 * rate, exchangeRate: rate })
      const { exchangeRate } = await opportunity(member, { currency: 'EUR', amount: 10 })
      expect(exchangeRate).toBe(rate)
      const session = { Authorization: `Bearer ${await sessionOf(platform, member)}` }
      const { body } = await restClient(platform.contract, platform.url, session).currencySettings!()
      expect(body.currencies).toMatchObject([{ code: 'USD' }, { code: 'EUR', rate }])
    }
    expect(await baseAmountAt(ctx, 10, 'EUR', day)).toEqual({ baseAmount: 20, exchangeRate: 2 })
    platform.now = start
    expect(await baseAmountAt(ctx, 10, 'EUR', '9999-12-31T23:59:59.999Z')).toEqual({ baseAmount: 30, exchangeRate: 3 })
  })

  it('must exist', async () => {
    const refused = await member.rest.taskCreate!({ body: { subject: 'Call', dueDate: '2027-02-30' } })
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'dueDate'])
  })
})
