import { beforeAll, describe, expect, it } from 'vitest'
import { baseAmountAt, exchangeRateSql } from '../../subgraphs/identity/public.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { product } from '../builders.ts'
import { refused, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type RestClient } from '../rest-client.ts'

const platform = usePlatform()
let owner: Member
let admin: RestClient

const clientOf = async (member: Member): Promise<RestClient> =>
  restClient(platform.contract, platform.url, { Authorization: `Bearer ${await sessionOf(platform, member)}` })

/** An organization of its own, with an owner and an admin's client. */
async function anOrganization(): Promise<{ owner: Member; admin: RestClient }> {
  const organizationId = await platform.organization('Money')
  const own = await platform.member({ organizationId, role: 'OWNER' })
  return { owner: own, admin: await clientOf(await platform.member({ organizationId, role: 'ADMIN' })) }
}

const setRate = async (rest: RestClient, currency: string, date: string, rate: unknown) =>
  (await rest.exchangeRateSet!({ body: { currency, date, rate } })).body

beforeAll(async () => {
  ;({ owner, admin } = await anOrganization())
})

const usd = { code: 'USD', name: 'US Dollar', decimals: 2, isBase: true, rate: 1, rateDate: null }

describe('currencySettings', () => {
  it('has the base currency and the rate of each currency that applies today', async () => {
    const { admin: rest } = await anOrganization()
    expect((await rest.currencySettings!()).body).toEqual({ baseCurrency: 'USD', currencies: [usd] })
    await setRate(rest, 'JPY', '2027-01-01', 0.0067)
    await setRate(rest, 'EUR', '2027-01-01', 1.05)
    await setRate(rest, 'EUR', '2027-02-01', 1.08)
    await setRate(rest, 'EUR', '2027-02-02', 1.2)
    await setRate(rest, 'KWD', '2027-03-01', 3.25)
    expect((await rest.currencySettings!()).body.currencies).toEqual([
      usd,
      { code: 'EUR', name: 'Euro', decimals: 2, isBase: false, rate: 1.08, rateDate: '2027-02-01' },
      { code: 'JPY', name: 'Japanese Yen', decimals: 0, isBase: false, rate: 0.0067, rateDate: '2027-01-01' },
      { code: 'KWD', name: 'Kuwaiti Dinar', decimals: 3, isBase: false, rate: null, rateDate: null },
    ])
  })

  it.each(['MANAGER', 'MEMBER', 'READ_ONLY'] as const)('is refused to %s', async (role) => {
    const rest = await clientOf(await platform.member({ organizationId: owner.organizationId, role }))
    expect(await refused(platform, () => rest.currencySettings!())).toEqual([403, 'PERMISSION_DENIED'])
    expect(
      await refused(platform, () => rest.exchangeRateSet!({ body: { currency: 'EUR', date: '2027-01-01', rate: 2 } })),
    ).toEqual([403, 'PERMISSION_DENIED'])
  })
})

describe('exchangeRateSet', () => {
  it('adds and replaces the rate of a day with all its digits, and writes events and audit entries', async () => {
    const added = await setRate(admin, 'CHF', '2026-11-01', '1.123456789012')
    expect(added).toMatchObject({ baseCurrency: 'USD', currency: 'CHF', date: '2026-11-01', rate: 1.123456789012 })
    const replaced = await setRate(admin, 'CHF', '2026-11-01', 1.13)
    const id = added.id as string
    expect((await admin.exchangeRate!({ id })).body).toEqual(replaced)
    expect([replaced.id, replaced.rate]).toEqual([id, 1.13])
    expect(await setRate(admin, 'CHF', '2026-11-01', 1.13)).toEqual(replaced)
    await setRate(admin, 'CHF', '2026-12-01', 1.14)
    const { body } = await admin.exchangeRateList!({ query: { currency: 'CHF' } })
    expect([body.total, (body.data as { date: string }[]).map(({ date }) => date)]).toEqual([
      2,
      ['2026-12-01', '2026-11-01'],
    ])
    expect((await admin.exchangeRateDelete!({ id })).status).toBe(204)
    expect(await refused(platform, () => admin.exchangeRateDelete!({ id }))).toEqual([404, 'NOT_FOUND'])
    const changes = ['exchange_rate.created', 'exchange_rate.updated', 'exchange_rate.deleted']
    expect(await platform.eventTypesOf(id)).toEqual(changes)
    const audited = await platform.query<{ action: string }>(
      'select action from identity.audit_entry where target_id = $1 order by id',
      [id],
    )
    expect(audited.map(({ action }) => action)).toEqual(changes)
  })

  it.each([
    ['EUR', '2027-02-29', 1, ['date NOT_A_DAY']],
    ['EUR', '1969-12-31', 1, ['date NOT_A_DAY']],
    ['QQQ', '2027-02-28', 1, ['currency NOT_A_CURRENCY']],
    ['USD', '2027-02-28', 1, ['currency NOT_ALLOWED']],
    ['EUR', '2027-02-28', '0.0000000000001', ['rate OUT_OF_RANGE']],
    ['EUR', '2027-02-28', '1.1234567890123', ['rate TOO_PRECISE']],
    ['EUR', '2027-02-28', 0, ['rate OUT_OF_RANGE']],
    ['EUR', '2027-02-28', -1, ['rate OUT_OF_RANGE']],
  ])('refuses %s %s %s', async (currency, date, rate, problems) => {
    expect(await refusedInputs(platform, () => admin.exchangeRateSet!({ body: { currency, date, rate } }))).toEqual([
      400,
      'VALIDATION_FAILED',
      ...problems,
    ])
  })

  it('is one rate when many requests set it at once', async () => {
    const dates = Array.from({ length: 8 }, (_, index) => index + 1)
    const answers = await Promise.all(dates.map((rate) => setRate(admin, 'SEK', '2026-10-01', rate)))
    expect(answers.map(({ id }) => id)).toEqual(dates.map(() => answers[0]!.id))
    expect((await admin.exchangeRateList!({ query: { currency: 'SEK' } })).body.total).toBe(1)
  })
})

describe('baseCurrencySet', () => {
  it('keeps the rates to the former base currency until it returns', async () => {
    const { admin: rest } = await anOrganization()
    await setRate(rest, 'EUR', '2027-01-01', 1.05)
    const changed = await rest.baseCurrencySet!({ body: { baseCurrency: 'EUR' } })
    expect(changed.body).toMatchObject({ baseCurrency: 'EUR', currencies: [{ code: 'EUR', isBase: true }] })
    expect(changed.body.currencies).toHaveLength(1)
    expect((await rest.organizationAdministered!()).body.settings).toMatchObject({ baseCurrency: 'EUR' })
    await setRate(rest, 'USD', '2027-01-01', 0.95)
    await rest.organizationUpdate!({ body: { timezone: 'Europe/Oslo' } })
    await rest.baseCurrencySet!({ body: { baseCurrency: 'USD' } })
    expect((await rest.currencySettings!()).body.currencies).toMatchObject([usd, { code: 'EUR', rate: 1.05 }])
    expect(await refusedInputs(platform, () => rest.baseCurrencySet!({ body: { baseCurrency: 'QQQ' } }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'baseCurrency NOT_A_CURRENCY',
    ])
  })
})

describe('an amount in the base currency', () => {
  it('uses the rate of its day, exact and rounded once, and is null before the first rate', async () => {
    const { owner: own, admin: rest } = await anOrganization()
    await setRate(rest, 'EUR', '2027-01-01', 1.05)
    await setRate(rest, 'EUR', '2027-02-01', 1.25)
    const ctx = systemContext(platform.services, own.organizationId)
    expect(await baseAmountAt(ctx, 10.1, 'EUR', '2027-01-31T23:59:59.999Z')).toEqual({
      baseAmount: 10.6,
      exchangeRate: 1.05,
    })
    expect(await baseAmountAt(ctx, 0.06, 'EUR', '2027-02-01')).toEqual({ baseAmount: 0.08, exchangeRate: 1.25 })
    expect(await baseAmountAt(ctx, 7, 'USD', '1999-01-01')).toEqual({ baseAmount: 7, exchangeRate: 1 })
    expect(await baseAmountAt(ctx, 7, 'EUR', '2026-12-31')).toBeNull()
    expect(await baseAmountAt(ctx, 7, 'JPY', '2027-02-01')).toBeNull()
    const rate = exchangeRateSql({
      organizationId: '$1::uuid',
      base: "'USD'",
      currency: 't.currency',
      day: `to_char(t.at at time zone 'UTC', 'YYYY-MM-DD')`,
    })
    const [sum] = await platform.query(
      `select sum(t.amount * ${rate})::text as total from (values (10.1, 'EUR', '2027-01-31T23:59:59Z'::timestamptz),
         (0.06, 'EUR', '2027-02-01'), (7, 'USD', '1999-01-01'), (7, 'EUR', '2026-12-31')) t(amount, currency, at)`,
      [own.organizationId],
    )
    expect(sum!.total).toBe('17.6800')
  })
})

describe('productStats', () => {
  it('converts prices into the base currency, and leaves out currencies without a rate', async () => {
    const { owner: own, admin: rest } = await anOrganization()
    await setRate(rest, 'EUR', '2027-01-01', 1.1)
    await setRate(rest, 'JPY', '2027-01-01', 0.01)
    for (const [listPrice, currency] of [
      [10, 'USD'],
      [20, 'EUR'],
      [20.01, 'EUR'],
      [1000, 'JPY'],
      [5.005, 'KWD'],
    ])
      await product(own, { listPrice, currency })
    const expected = {
      averageListPrice: 16,
      currency: 'USD',
      listPriceByCurrency: [
        { currency: 'EUR', count: 2, sum: 40.01, average: 20 },
        { currency: 'JPY', count: 1, sum: 1000, average: 1000 },
        { currency: 'KWD', count: 1, sum: 5.005, average: 5.005 },
        { currency: 'USD', count: 1, sum: 10, average: 10 },
      ],
    }
    expect((await own.rest.productStats!()).body).toMatchObject(expected)
    await setRate(rest, 'JPY', '2027-02-01', 0.02)
    expect((await own.rest.productStats!()).body).toMatchObject({ ...expected, averageListPrice: 18.5 })
  })
})
