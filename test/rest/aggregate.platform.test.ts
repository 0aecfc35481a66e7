import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, aLine, opportunity, quote, sentInvoice } from '../builders.ts'
import { refused, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type Answer, type RestClient } from '../rest-client.ts'

const platform = usePlatform()
let organizationId: string
let all: Member
let own: Member
let team: Member
let accountId: string
let admin: RestClient

/** Deals around the change to summer time, the year and the fiscal year in Berlin, in three currencies, of which one has no rate. */
const deals = [
  { by: 'all', amount: 100, currency: 'EUR', closeDate: '2026-03-29T00:30:00.000Z', type: 'RENEWAL' },
  { by: 'all', amount: 200.1, currency: 'USD', closeDate: '2026-03-31T22:30:00.000Z', stage: 'CLOSED_WON' },
  { by: 'own', amount: 300, currency: 'USD', closeDate: '2026-12-31T23:30:00.000Z', stage: 'CLOSED_WON' },
  { by: 'own', amount: 400.25, currency: 'USD', closeDate: '2026-03-28T23:30:00.000Z', type: 'NEW_BUSINESS' },
  { by: 'own', amount: 50, currency: 'GBP', closeDate: '2027-01-03T12:00:00.000Z' },
  { by: 'team', amount: 0.05, currency: 'EUR', closeDate: '2026-03-29T22:15:00.000Z', type: 'NEW_BUSINESS' },
] as const

/** The value of a US dollar in the base currency. */
async function setRate(date: string, rate: number): Promise<{ id: string }> {
  const { status, body } = await admin.exchangeRateSet!({ body: { currency: 'USD', date, rate } })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

beforeAll(async () => {
  organizationId = await platform.organization()
  await platform.query(
    `update identity.organization set settings = settings || '{"timezone": "Europe/Berlin", "fiscalYearStartMonth": 4, "baseCurrency": "EUR"}'
     where id = $1`,
    [organizationId],
  )
  all = await platform.member({ organizationId, role: 'ADMIN' })
  const session = await sessionOf(platform, all)
  admin = restClient(platform.contract, platform.url, { Authorization: `Bearer ${session}` })
  own = await platform.member({ organizationId, visibility: 'OWN' })
  team = await platform.member({ organizationId, visibility: 'TEAM' })
  await platform.team(organizationId, [team.userId, own.userId])
  await setRate('2026-06-01', 0.8)
  await setRate('2027-01-01', 0.5)
  accountId = (await account(all, { name: 'Yard', ownerId: all.userId })).id
  const members = { all, own, team }
  for (const { by, ...values } of deals) await opportunity(all, { accountId, ownerId: members[by].userId, ...values })
  await opportunity(await platform.member({ organizationId: await platform.organization('Elsewhere') }))
  const { id } = await opportunity(all, { accountId, amount: 9999 })
  await all.rest.opportunityDelete!({ id })
})

const aggregate = (member: Member, query: Readonly<Record<string, string | number | boolean>>): Promise<Answer> =>
  member.rest.opportunityAggregate!({ query })

interface Group {
  readonly keys: readonly { readonly value: string | null; readonly label: string | null }[]
  readonly count: number
  readonly sum: readonly { readonly value: number }[]
}

/** The groups as `key count` or `key count sum`. */
const brief = ({ body }: Answer): string[] =>
  (body.groups as Group[]).map(({ keys, count, sum }) =>
    [...keys.map(({ value }) => value), count, ...sum.map(({ value }) => value)].join(' '),
  )

describe('groups', () => {
  it('are the values of enumerations, flags and texts, with records without a value last', async () => {
    expect(brief(await aggregate(all, { groupBy: 'type' }))).toEqual(['NEW_BUSINESS 2', 'RENEWAL 1', ' 3'])
    expect(brief(await aggregate(all, { groupBy: 'isWon,currency' }))).toEqual([
      'false EUR 2',
      'false GBP 1',
      'false USD 1',
      'true USD 2',
    ])
    expect(brief(await aggregate(all, { groupBy: 'stage', sortOrder: 'desc' }))).toEqual([
      'PROSPECTING 4',
      'CLOSED_WON 2',
    ])
  })

  it('have the names of the users and records that the caller sees', async () => {
    const labels = async (member: Member, groupBy: string) =>
      ((await aggregate(member, { groupBy })).body.groups as Group[]).map(({ keys }) => keys[0])
    expect(await labels(own, 'ownerId')).toMatchObject([{ value: own.userId, label: 'Ann Lee' }])
    expect(await labels(all, 'accountId')).toMatchObject([{ value: accountId, label: 'Yard' }])
    expect(await labels(own, 'accountId')).toMatchObject([{ value: accountId, label: null }])
    const noAccounts = await platform.member({ organizationId, scopes: ['READ_OPPORTUNITIES'] })
    expect(await labels(noAccounts, 'accountId')).toMatchObject([{ value: accountId, label: null }])
  })

  it.each([
    ['day', ['2026-03-29 2', '2026-03-30 1', '2026-04-01 1', '2027-01-01 1', '2027-01-03 1']],
    ['week', ['2026-W13 2', '2026-W14 2', '2026-W53 2']],
    ['month', ['2026-03 3', '2026-04 1', '2027-01 2']],
    ['quarter', ['2026-Q1 3', '2026-Q2 1', '2027-Q1 2']],
    ['year', ['2026 4', '2027 2']],
    ['fiscalQuarter', ['2025-Q4 3', '2026-Q1 1', '2026-Q4 2']],
    ['fiscalYear', ['2025 3', '2026 3']],
  ])('of times are periods in the time zone and fiscal year of the organization: %s', async (unit, groups) => {
    const answer = await aggregate(all, { groupBy: `closeDate:${unit}` })
    expect(brief(answer)).toEqual(groups)
    expect([answer.body.total.count, answer.body.totalGroups]).toEqual([6, groups.length])
  })

  it('name the first moment of a period and the one after it, which filter the same records', async () => {
    const { body } = await aggregate(all, { groupBy: 'closeDate:day,isWon', limit: 1 })
    expect(body.groups[0].keys).toEqual([
      {
        field: 'closeDate',
        value: '2026-03-29',
        label: null,
        from: '2026-03-28T23:00:00.000Z',
        until: '2026-03-29T22:00:00.000Z',
      },
      { field: 'isWon', value: 'false', label: null, from: null, until: null },
    ])
    expect(body.totalGroups).toBe(5)
  })

  it('are those of records without a value where a time is null, and can be of two units', async () => {
    expect(brief(await aggregate(all, { groupBy: 'closedAt:month' }))).toEqual(['2027-02 2', ' 4'])
    expect(brief(await aggregate(all, { groupBy: 'closeDate:year,closeDate:quarter', isWon: true }))).toEqual([
      '2026 2026-Q2 1',
      '2027 2027-Q1 1',
    ])
  })

  it('are ordered by keys or by a figure, and limited', async () => {
    const ordered = async (query: Readonly<Record<string, string | number>>) =>
      brief(await aggregate(all, { groupBy: 'currency', sum: 'healthScore', ...query }))
    expect(await ordered({ sortBy: 'count' })).toEqual(['USD 3 0', 'EUR 2 0', 'GBP 1 0'])
    expect(await ordered({ sortBy: 'count', sortOrder: 'asc', limit: 2 })).toEqual(['GBP 1 0', 'EUR 2 0'])
    const bySum = await aggregate(all, { groupBy: 'currency', sum: 'amount', sortBy: 'sum' })
    expect(brief(bySum)).toEqual(['USD 3 350.12', 'EUR 2 100.05', 'GBP 1 0'])
  })
})

describe('amounts', () => {
  it('are converted at the rate of the day of the record, and rounded once', async () => {
    const figures = {
      sum: 'amount,closeDatePushCount',
      average: 'amount',
      min: 'amount,closeDate',
      max: 'amount,closeDate',
    }
    const { body } = await aggregate(all, { ...figures, byCurrency: true })
    const amount = (value: number, byCurrency: [string, number, number][]) => ({
      field: 'amount',
      value,
      time: null,
      unconverted: 2,
      byCurrency: byCurrency.map(([currency, count, own]) => ({ currency, count, value: own })),
    })
    const plain = { unconverted: 0, byCurrency: [] }
    const time = { field: 'closeDate', value: null, ...plain }
    expect(body).toEqual({
      groups: [],
      totalGroups: 0,
      currency: 'EUR',
      total: {
        count: 6,
        sum: [
          amount(450.18, [
            ['EUR', 2, 100.05],
            ['GBP', 1, 50],
            ['USD', 3, 900.35],
          ]),
          { field: 'closeDatePushCount', value: 0, time: null, ...plain },
        ],
        average: [
          amount(112.54, [
            ['EUR', 2, 50.02],
            ['GBP', 1, 50],
            ['USD', 3, 300.12],
          ]),
        ],
        min: [
          amount(0.05, [
            ['EUR', 2, 0.05],
            ['GBP', 1, 50],
            ['USD', 3, 200.1],
          ]),
          { ...time, time: '2026-03-28T23:30:00.000Z' },
        ],
        max: [
          amount(200.12, [
            ['EUR', 2, 100],
            ['GBP', 1, 50],
            ['USD', 3, 400.25],
          ]),
          { ...time, time: '2027-01-03T12:00:00.000Z' },
        ],
      },
    })
  })

  it('are the same from maintained totals and from records', async () => {
    const [fromTotals, fromRecords] = await Promise.all(
      ['', 'amount'].map(
        async (min) =>
          (await aggregate(all, { groupBy: 'stage', sum: 'amount', byCurrency: true, ...(min && { min }) })).body,
      ),
    )
    expect(fromTotals.groups[1].sum).toEqual([
      {
        field: 'amount',
        value: 300.18,
        time: null,
        unconverted: 1,
        byCurrency: [
          { currency: 'EUR', count: 2, value: 100.05 },
          { currency: 'GBP', count: 1, value: 50 },
          { currency: 'USD', count: 1, value: 400.25 },
        ],
      },
    ])
    const sums = ({ groups }: Answer['body']) => groups.map((group: Group) => group.sum)
    expect(sums(fromRecords)).toEqual(sums(fromTotals))
  })

  it('of past days keep their rate when a later one is added', async () => {
    const won = { isWon: true, sum: 'amount' }
    const before = (await aggregate(all, won)).body.total.sum[0].value as number
    const { id } = await setRate('2027-01-31', 0.25)
    const open = (await aggregate(all, { isWon: false, sum: 'amount' })).body.total.sum[0].value as number
    expect((await admin.exchangeRateDelete!({ id })).status).toBe(204)
    expect([before, (await aggregate(all, won)).body.total.sum[0].value, open]).toEqual([150, 150, 200.11])
  })
})

describe('the rates of amounts', () => {
  let organizationId: string
  let member: Member
  let ofAccount: string
  let rates: RestClient

  /** Day by day in New York, with the rates of two currencies, of which one has a single one. */
  beforeAll(async () => {
    organizationId = await platform.organization('Rates')
    await platform.query(
      `update identity.organization set settings = settings || '{"timezone": "America/New_York", "baseCurrency": "USD"}' where id = $1`,
      [organizationId],
    )
    member = await platform.member({ organizationId, role: 'ADMIN' })
    rates = restClient(platform.contract, platform.url, {
      Authorization: `Bearer ${await sessionOf(platform, member)}`,
    })
    for (const [currency, date, rate] of [
      ['EUR', '2026-03-08', 2],
      ['EUR', '2026-03-09', 3],
      ['EUR', '2026-03-11', 5],
      ['CHF', '2026-03-10', 7],
    ] as const)
      await rates.exchangeRateSet!({ body: { currency, date, rate } })
    ofAccount = (await account(member, { ownerId: member.userId })).id
  })

  const close = (currency: string, amount: number, closeDate: string) =>
    opportunity(member, { accountId: ofAccount, currency, amount, closeDate, stage: 'CLOSED_WON' })
  const figures = (query: Readonly<Record<string, string | number | boolean>>) =>
    aggregate(member, { sum: 'amount', ...query })
  const totalOf = ({ body }: Answer) => {
    const [{ value, unconverted }] = body.total.sum as [{ value: number; unconverted: number }]
    return [body.total.count as number, value, unconverted]
  }

  it('begin and end with the days of the organization, and there are none before the first one or of an unknown currency', async () => {
    // The clocks went forward on 8 March: its first and last moments are 19 hours and 23 hours before and after the next midnight of UTC.
    for (const [currency, amount, closeDate] of [
      ['EUR', 1, '2026-03-08T04:59:59.999Z'],
      ['EUR', 10, '2026-03-08T05:00:00.000Z'],
      ['EUR', 100, '2026-03-09T03:59:59.999Z'],
      ['EUR', 1000, '2026-03-09T04:00:00.000Z'],
      ['EUR', 10000, '2026-03-11T03:59:59.999Z'],
      ['EUR', 100000, '2026-03-11T04:00:00.000Z'],
      ['EUR', 0.1, '2035-01-01T00:00:00.000Z'],
      ['CHF', 1, '2026-03-10T03:59:59.999Z'],
      ['CHF', 10, '2026-03-10T04:00:00.000Z'],
      ['SEK', 1, '2026-03-10T12:00:00.000Z'],
      ['USD', 0.01, '2020-01-01T00:00:00.000Z'],
    ] as const)
      await close(currency, amount, closeDate)
    const grouped = await figures({ groupBy: 'currency,closeDate:day', sortBy: 'key' })
    expect(brief(grouped)).toEqual([
      'CHF 2026-03-09 1 0',
      'CHF 2026-03-10 1 70',
      'EUR 2026-03-07 1 0',
      'EUR 2026-03-08 2 220',
      'EUR 2026-03-09 1 3000',
      'EUR 2026-03-10 1 30000',
      'EUR 2026-03-11 1 500000',
      'EUR 2034-12-31 1 0.5',
      'SEK 2026-03-10 1 0',
      'USD 2019-12-31 1 0.01',
    ])
    // 70 + 533,220.5 + 0.01, without a Swiss franc, a euro and a krona.
    expect(totalOf(grouped)).toEqual([11, 533290.51, 3])
    const others: Readonly<Record<string, string | boolean>>[] = [
      {},
      { groupBy: 'stage' },
      { groupBy: 'ownerId', byCurrency: true },
      { groupBy: 'currency' },
      { min: 'closeDate' },
    ]
    for (const query of others) expect(totalOf(await figures(query)), JSON.stringify(query)).toEqual([11, 533290.51, 3])
    expect(brief(await figures({ groupBy: 'closeDate:year', sortBy: 'sum' }))).toEqual([
      '2026 9 533290',
      '2034 1 0.5',
      '2019 1 0.01',
    ])
  })

  it('begin with the first of two midnights, where a change to winter time repeats it', async () => {
    const inHavana = await platform.member({ organizationId: await platform.organization('Havana'), role: 'ADMIN' })
    await platform.query(
      `update identity.organization set settings = settings || '{"timezone": "America/Havana", "baseCurrency": "USD"}' where id = $1`,
      [inHavana.organizationId],
    )
    const session = restClient(platform.contract, platform.url, {
      Authorization: `Bearer ${await sessionOf(platform, inHavana)}`,
    })
    for (const [date, rate] of [
      ['2026-10-31', 2],
      ['2026-11-01', 3],
      ['2026-11-02', 5],
    ] as const)
      await session.exchangeRateSet!({ body: { currency: 'EUR', date, rate } })
    const { id } = await account(inHavana, { ownerId: inHavana.userId })
    for (const [amount, closeDate] of [
      [1, '2026-11-01T03:59:59.999Z'],
      [10, '2026-11-01T04:00:00.000Z'],
      [100, '2026-11-01T05:00:00.000Z'],
      [1000, '2026-11-02T04:59:59.999Z'],
      [10000, '2026-11-02T05:00:00.000Z'],
    ] as const)
      await opportunity(inHavana, { accountId: id, currency: 'EUR', amount, closeDate, stage: 'CLOSED_WON' })
    expect(brief(await aggregate(inHavana, { sum: 'amount', groupBy: 'closeDate:day' }))).toEqual([
      '2026-10-31 1 2',
      '2026-11-01 3 3330',
      '2026-11-02 1 50000',
    ])
  })

  it('of several figures over several fields are the same with and without maintained totals', async () => {
    const query = { sum: 'expectedRevenue,amount,probability', average: 'probability,amount', groupBy: 'stage' }
    const values = (answer: Answer) =>
      [answer.body.groups[0], answer.body.total].map(({ count, sum, average }) => [
        count,
        ...[...sum, ...average].map(({ value }: { value: number }) => value),
      ])
    const [fromTotals, fromRows] = [
      await figures({ ...query, sum: 'expectedRevenue,amount', average: 'amount,expectedRevenue' }),
      await figures(query),
    ]
    const bothOf = (own: number[]) => [own, own]
    expect(values(fromTotals)).toEqual(bothOf([11, 533290.51, 533290.51, 66661.31, 66661.31]))
    expect(values(fromRows)).toEqual(bothOf([11, 533290.51, 533290.51, 1100, 100, 66661.31]))
  })

  it('are those of today for records without a day', async () => {
    await rates.exchangeRateSet!({ body: { currency: 'EUR', date: '2027-01-01', rate: 11 } })
    await rates.exchangeRateSet!({ body: { currency: 'CHF', date: '2027-01-01', rate: '123456789.123456789012' } })
    const { id } = await quote(member, { currency: 'EUR', lineItems: [aLine({ unitPrice: 10 })] })
    const sumOfQuotes = async () =>
      (await member.rest.quoteAggregate!({ query: { sum: 'total', groupBy: 'status' } })).body.total.sum[0].value
    expect(await sumOfQuotes()).toBe(110)
    await platform.query(
      `update commerce.quote set status = 'ACCEPTED', accepted_at = '2026-03-09T12:00:00Z' where id = $1`,
      [id],
    )
    expect(await sumOfQuotes()).toBe(30)
    // A rate whose units are more than an integer of 8 bytes.
    await quote(member, { currency: 'CHF', lineItems: [aLine({ unitPrice: 2 })] })
    expect(await sumOfQuotes()).toBe(246913608.25)
  })

  it('and the periods of invoices are those of the day that is stored, in every time zone', async () => {
    const issued = await sentInvoice(member, {
      currency: 'EUR',
      issueDate: '2026-03-09',
      lineItems: [aLine({ unitPrice: 10 })],
    })
    await sentInvoice(member, { currency: 'EUR', issueDate: '2026-03-01', lineItems: [aLine({ unitPrice: 1 })] })
    const { body } = await member.rest.invoiceAggregate!({ query: { sum: 'subtotal', groupBy: 'issueDate:day' } })
    expect(brief({ body } as Answer)).toEqual(['2026-03-01 1 0', '2026-03-09 1 30'])
    const [, { keys }] = body.groups as [unknown, { keys: [{ from: string; until: string }] }]
    expect([keys[0].from, keys[0].until]).toEqual(['2026-03-09T00:00:00.000Z', '2026-03-10T00:00:00.000Z'])
    expect(issued.issueDate).toBe(keys[0].from)
    const months = await member.rest.invoiceAggregate!({ query: { groupBy: 'issueDate:month' } })
    expect(brief(months)).toEqual(['2026-03 2'])
  })
})

describe('statistics', () => {
  const stats = (member: Member, query: Readonly<Record<string, string | boolean>>) =>
    member.rest.opportunityStats!({ query })
  const figures = { byForecastCategory: { PIPELINE: 0, BEST_CASE: 0, COMMIT: 0, OMITTED: 0, CLOSED: 0 } }

  it.each([
    ['from maintained totals', { isWon: true }, { total: 2, open: 0, won: 2, lost: 0, winRate: 1 }],
    ['from records', { closeDateAfter: '2026-12-31' }, { total: 2, open: 1, won: 1, lost: 0, winRate: 1 }],
    ['without a match', { currency: 'JPY' }, { total: 0, open: 0, won: 0, lost: 0, winRate: null }],
  ])('have the filter of the list: %s', async (_, query, expected) => {
    expect((await stats(all, query)).body).toMatchObject(expected)
  })

  it('add the filter to the conditions of each figure, and stay within what the caller sees', async () => {
    const sums = [{ currency: 'USD', count: 1, amount: 400.25, expectedRevenue: 40.025 }]
    for (const query of [{ currency: 'USD' }, { currency: 'USD', closeDateAfter: '2020-01-01' }] as Record<
      string,
      string
    >[])
      expect((await stats(own, query)).body).toMatchObject({
        total: 2,
        byStage: { PROSPECTING: 1, CLOSED_WON: 1 },
        byForecastCategory: { ...figures.byForecastCategory, PIPELINE: 1, CLOSED: 1 },
        openByCurrency: sums,
      })
  })
})

describe('an aggregate', () => {
  it('is over the records that the caller sees', async () => {
    const counts = async (member: Member, query = {}) => (await aggregate(member, query)).body.total.count as number
    expect(await Promise.all([all, team, own].map((member) => counts(member)))).toEqual([6, 4, 3])
    expect(brief(await aggregate(team, { groupBy: 'currency', sum: 'amount' }))).toEqual([
      'EUR 1 0.05',
      'GBP 1 0',
      'USD 2 350.12',
    ])
    expect(await counts(await platform.member({ organizationId: await platform.organization('Empty') }))).toBe(0)
  })

  it('takes the filters of the list, and has the same answer in the graph and at the other path', async () => {
    const query = { groupBy: 'isClosed', sum: 'amount', currency: 'USD', closeDateAfter: '2026-03-31' }
    const rest = await aggregate(all, query)
    expect(brief(rest)).toEqual(['true 2 150'])
    const other = await fetch(`${platform.url}/v1/deals/aggregate?${new URLSearchParams(query).toString()}`, {
      headers: all.headers,
    })
    expect(await other.json()).toEqual(rest.body)
    const graph = await all.graphql(
      `{ opportunityAggregate(
           groupBy: [{ field: closeDate, by: FISCAL_YEAR }, { field: isClosed }], sum: [amount],
           filter: { account: { name: { eq: "Yard" } }, or: [{ type: { isNull: true } }, { type: { eq: RENEWAL } }] }
         ) { groups { keys { value from } count sum { value } } total { count } } }`,
    )
    expect(graph.body.data.opportunityAggregate).toEqual({
      groups: [
        {
          keys: [
            { value: '2025', from: '2025-03-31T22:00:00.000Z' },
            { value: 'false', from: null },
          ],
          count: 1,
          sum: [{ value: 100 }],
        },
        {
          keys: [
            { value: '2026', from: '2026-03-31T22:00:00.000Z' },
            { value: 'false', from: null },
          ],
          count: 1,
          sum: [{ value: 0 }],
        },
        {
          keys: [
            { value: '2026', from: '2026-03-31T22:00:00.000Z' },
            { value: 'true', from: null },
          ],
          count: 2,
          sum: [{ value: 150 }],
        },
      ],
      total: { count: 4 },
    })
  })

  it('is refused with 403 if it needs a field that the profile hides', async () => {
    const member = await platform.member({ organizationId })
    const ctx = systemContext(platform.services, organizationId)
    const { id } = await createProfile(ctx, {
      name: 'No health',
      fields: { opportunity: { healthScore: 'HIDDEN', type: 'HIDDEN' } },
    })
    await assignProfile(ctx, member.userId, id)
    const refusal = (query: Readonly<Record<string, string>>) => refusedInputs(platform, () => aggregate(member, query))
    expect(await refusal({ groupBy: 'stage,type' })).toEqual([
      403,
      'FIELD_NOT_READABLE',
      'groupBy.1 FIELD_NOT_READABLE',
    ])
    for (const figure of ['sum', 'average', 'min', 'max'])
      expect(await refusal({ [figure]: 'healthScore' })).toEqual([
        403,
        'FIELD_NOT_READABLE',
        `${figure}.0 FIELD_NOT_READABLE`,
      ])
    expect(await refusal({ type: 'RENEWAL' })).toEqual([403, 'FIELD_NOT_READABLE', 'type FIELD_NOT_READABLE'])
    expect((await aggregate(member, { groupBy: 'stage', sum: 'amount' })).status).toBe(200)
  })

  it('sums no amounts at the rate of a day that the profile hides', async () => {
    const member = await platform.member({ organizationId })
    const ctx = systemContext(platform.services, organizationId)
    const { id } = await createProfile(ctx, { name: 'No acceptance', fields: { quote: { acceptedAt: 'HIDDEN' } } })
    await assignProfile(ctx, member.userId, id)
    const quotes = (query: Readonly<Record<string, string>>) => member.rest.quoteAggregate!({ query })
    expect(await refusedInputs(platform, () => quotes({ sum: 'total' }))).toEqual([
      403,
      'FIELD_NOT_READABLE',
      'sum.0 FIELD_NOT_READABLE',
    ])
    expect((await quotes({ groupBy: 'status' })).status).toBe(200)
  })

  it.each([
    [{ groupBy: 'closeDate' }, 'groupBy.0 NOT_ALLOWED'],
    [{ groupBy: 'stage:month' }, 'groupBy.0 NOT_ALLOWED'],
    [{ groupBy: 'description' }, 'groupBy.0 NOT_ALLOWED'],
    [{ groupBy: 'stage,type,currency,isWon' }, 'groupBy TOO_MANY'],
    [{ groupBy: 'stage,stage' }, 'groupBy.1 REPEATED'],
    [{ sum: 'name' }, 'sum.0 NOT_ALLOWED'],
    [{ sum: 'closeDate' }, 'sum.0 NOT_ALLOWED'],
    [{ groupBy: 'stage', sortBy: 'sum' }, 'sortBy NOT_REQUESTED'],
    [{ limit: '1001' }, 'limit OUT_OF_RANGE'],
    [{ limit: '0' }, 'limit OUT_OF_RANGE'],
  ])('of a bad input is refused: %j', async (query, problem) => {
    expect(await refusedInputs(platform, () => aggregate(all, query))).toEqual([400, 'VALIDATION_FAILED', problem])
  })

  it('in the graph refuses a time without a period, and a period of another field', async () => {
    const { body } = await all.graphql(
      `{ opportunityAggregate(groupBy: [{ field: closeDate }, { field: stage, by: DAY }]) { totalGroups } }`,
    )
    expect(body.errors[0].extensions.errors).toMatchObject([
      { path: 'groupBy.0', code: 'REQUIRED' },
      { path: 'groupBy.1', code: 'NOT_ALLOWED' },
    ])
  })

  it('needs the scope to read the records', async () => {
    const member = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
    expect(await refused(platform, () => aggregate(member, {}))).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
  })
})
