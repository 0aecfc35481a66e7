import { afterAll, describe, expect, it } from 'vitest'
import { account, opportunity } from '../../../test/builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../../../test/expectations.ts'
import { usePlatform, type Member, type MemberOptions } from '../../../test/platform.ts'
import { newId } from '../../kernel/ids.ts'

const platform = usePlatform()
afterAll(() => expectValidEvents(platform))

const elsewhere = newId()

/** An organization of its own, so that figures of other tests are not in it. */
async function organization(settings: object = {}) {
  const organizationId = await platform.organization('Quotas')
  await platform.query('update identity.organization set settings = $2 where id = $1', [organizationId, settings])
  const member = (options: MemberOptions = {}) => platform.member({ organizationId, ...options })
  const admin = await member({ role: 'ADMIN' })
  return { organizationId, admin, member }
}

const reportsTo = (one: Member, manager: Member) =>
  platform.query('update identity.app_user set manager_id = $3 where organization_id = $1 and id = $2', [
    one.organizationId,
    one.userId,
    manager.userId,
  ])

const team = async (admin: Member, members: readonly Member[]) => {
  const id = newId()
  await platform.query(
    `insert into identity.team (organization_id, id, name, created_at, updated_at) values ($1, $2, 'Nordics', now(), now())`,
    [admin.organizationId, id],
  )
  for (const { userId } of members)
    await platform.query('insert into identity.team_member (organization_id, team_id, user_id) values ($1, $2, $3)', [
      admin.organizationId,
      id,
      userId,
    ])
  return id
}

const rate = (admin: Member, currency: string, date: string, value: number) =>
  platform.query(
    `insert into identity.exchange_rate (organization_id, id, base_currency, currency, date, rate, created_at, updated_at)
     values ($1, $2, 'USD', $3, $4, $5, now(), now())`,
    [admin.organizationId, newId(), currency, date, value],
  )

const set = (member: Member, body: object) => member.rest.quotaSet!({ body })
const attainment = async (member: Member, query: Record<string, string | number> = {}) => {
  const { status, body } = await member.rest.quotaAttainment!({ query })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}

/** Runs `work` at another time of the platform. */
async function at<T>(time: string, work: () => Promise<T>): Promise<T> {
  const before = platform.now
  platform.now = new Date(time)
  try {
    return await work()
  } finally {
    platform.now = before
  }
}

describe('setting a quota', () => {
  it('answers 201 for a new one and 200 for a changed one, which keeps its id', async () => {
    const { admin, member } = await organization()
    const rep = await member()
    const body = { userId: rep.userId, period: '2027-Q1', periodType: 'QUARTER', target: 250000.5, currency: 'EUR' }
    const first = await set(admin, body)
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: first.body.id,
        organizationId: admin.organizationId,
        userId: rep.userId,
        teamId: null,
        period: '2027-Q1',
        periodType: 'QUARTER',
        target: 250000.5,
        currency: 'EUR',
        startDate: null,
        endDate: null,
        version: 1,
        createdAt: '2027-02-01T09:00:00.000Z',
        updatedAt: '2027-02-01T09:00:00.000Z',
        createdById: admin.userId,
        updatedById: admin.userId,
        isNew: true,
      },
    ])
    const { id } = first.body
    const second = await set(admin, { userId: rep.userId, period: '2027-Q1', target: 300000, startDate: '2027-02-01' })
    expect([second.status, second.body]).toMatchObject([
      200,
      { id, target: 300000, currency: 'EUR', startDate: '2027-02-01', version: 2, isNew: false },
    ])
    const events = await platform.eventsOf(id)
    expect(events.map(({ type }) => type)).toEqual(['quota.created', 'quota.updated'])
    expect((await admin.rest.quotaList!({ query: { period: '2027-Q1', periodType: 'QUARTER' } })).body).toMatchObject({
      data: [{ id, target: 300000 }],
      total: 1,
    })
    expect((await admin.rest.quotaList!({ query: { periodType: 'MONTH' } })).body.data).toEqual([])
  })

  it('replays the first answer for the same idempotency key', async () => {
    const { admin } = await organization()
    const headers = { 'Idempotency-Key': newId() }
    const body = { userId: admin.userId, period: '2027', target: 1 }
    const first = await admin.rest.quotaSet!({ body, headers })
    const second = await admin.rest.quotaSet!({ body, headers })
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body])
  })

  it.each([
    ['no user and no team', { userId: undefined }, 'userId ONE_OF'],
    ['a user and a team', { teamId: elsewhere }, 'userId ONE_OF'],
    ['an unknown user', { userId: elsewhere }, 'userId UNKNOWN_REFERENCE'],
    ['an unknown team', { userId: undefined, teamId: elsewhere }, 'teamId UNKNOWN_REFERENCE'],
    ['a period of another type', { periodType: 'YEAR' }, 'period WRONG_FORMAT'],
    ['a negative target', { target: -1 }, 'target OUT_OF_RANGE'],
    ['more decimals than the currency has', { target: 1.5, currency: 'JPY' }, 'target TOO_PRECISE'],
    ['an unknown currency', { currency: 'XYZ' }, 'currency NOT_A_CURRENCY'],
    ['a day outside of the period', { startDate: '2027-04-01' }, 'startDate OUT_OF_RANGE'],
    ['a day that does not exist', { endDate: '2027-02-30' }, 'endDate WRONG_FORMAT'],
    ['an end before the start', { startDate: '2027-02-02', endDate: '2027-02-01' }, 'endDate OUT_OF_RANGE'],
  ])('refuses %s and changes nothing', async (_, values, problem) => {
    const { admin } = await organization()
    const body = { userId: admin.userId, period: '2027-Q1', target: 1, ...values }
    expect(await refusedInputs(platform, () => set(admin, body))).toEqual([400, 'VALIDATION_FAILED', problem])
  })

  it('refuses a user of another organization like an unknown one', async () => {
    const { admin } = await organization()
    const { admin: foreign } = await organization()
    const call = () => set(admin, { userId: foreign.userId, period: '2027-Q1', target: 1 })
    expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', 'userId UNKNOWN_REFERENCE'])
  })

  it('is for owners and admins, and for managers of users below them', async () => {
    const { admin, member } = await organization()
    const [manager, lead, rep, other] = [
      await member({ role: 'MANAGER' }),
      await member(),
      await member(),
      await member(),
    ]
    await reportsTo(lead, manager)
    await reportsTo(rep, lead)
    const of = ({ userId }: Member) => ({ userId, period: '2027-02', target: 10 })
    expect((await set(manager, of(rep))).status).toBe(201)
    const teamId = await team(admin, [rep])
    for (const body of [of(other), of(manager), { teamId, period: '2027-02', target: 1 }])
      expect(await refused(platform, () => set(manager, body))).toEqual([403, 'PERMISSION_DENIED'])
    for (const role of ['MEMBER', 'READ_ONLY'] as const) {
      const one = await member({ role })
      expect(await refused(platform, () => set(one, of(one)))).toEqual([403, 'PERMISSION_DENIED'])
    }
    expect((await set(await member({ role: 'OWNER' }), { teamId, period: '2027-02', target: 1 })).status).toBe(201)
  })

  it('keeps one quota when the same one is set twice at once', async () => {
    const { admin } = await organization()
    const body = { userId: admin.userId, period: '2027-02', target: 5 }
    const answers = await Promise.all([set(admin, body), set(admin, body), set(admin, body)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 201])
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1)
  })
})

describe('many quotas', () => {
  it('are set in one request, in its order', async () => {
    const { admin, member } = await organization()
    const rep = await member()
    await set(admin, { userId: rep.userId, period: '2027-02', target: 1 })
    const quotas = [
      { userId: admin.userId, period: '2027-02', target: 2 },
      { userId: rep.userId, period: '2027-02', target: 3 },
    ]
    const { status, body } = await admin.rest.quotaBulkSet!({ body: { quotas } })
    expect([status, body]).toMatchObject([
      200,
      {
        created: 1,
        updated: 1,
        quotas: [
          { userId: admin.userId, target: 2, isNew: true },
          { userId: rep.userId, target: 3, isNew: false },
        ],
      },
    ])
  })

  it('are all refused if one is, with the path of the item', async () => {
    const { admin } = await organization()
    const good = { userId: admin.userId, period: '2027-02', target: 1 }
    const cases = [
      [[good, { ...good, period: '2027-03', target: -1 }], 'quotas.1.target OUT_OF_RANGE'],
      [[good, { ...good, period: '2027-03', target: 0.001 }], 'quotas.1.target TOO_PRECISE'],
      [[good, { ...good, userId: elsewhere }], 'quotas.1.userId UNKNOWN_REFERENCE'],
      [[good, good], 'quotas.1.period NOT_UNIQUE'],
    ] as const
    for (const [quotas, problem] of cases)
      expect(await refusedInputs(platform, () => admin.rest.quotaBulkSet!({ body: { quotas } }))).toEqual([
        400,
        'VALIDATION_FAILED',
        problem,
      ])
    const graphql = await admin.graphql(
      'mutation ($quotas: [QuotaInput!]!) { quotaBulkSet(quotas: $quotas) { created } }',
      {
        quotas: [good, { ...good, period: '2027-03', target: -1 }],
      },
    )
    expect(graphql.body.errors[0].extensions.errors).toMatchObject([{ path: 'quotas.1.target', code: 'OUT_OF_RANGE' }])
  })

  it('are at most 500', async () => {
    const { admin } = await organization()
    const quotas = Array.from({ length: 501 }, (_, index) => ({
      userId: admin.userId,
      period: `${1900 + (index % 200)}`,
      target: 1,
    }))
    const [status] = await refused(platform, () => admin.rest.quotaBulkSet!({ body: { quotas } }))
    expect(status).toBe(400)
  })

  it('are copied from the period before where there is none', async () => {
    const { admin, member } = await organization()
    const [rep, gone] = [await member(), await member()]
    const body = (one: Member, period: string, target: number) => ({
      userId: one.userId,
      period,
      target,
      currency: 'EUR',
    })
    await set(admin, { ...body(rep, '2026-12', 7), startDate: '2026-12-10' })
    await set(admin, body(admin, '2026-12', 8))
    await set(admin, body(gone, '2026-12', 9))
    await set(admin, body(admin, '2027-01', 10))
    await platform.query('update identity.app_user set is_active = false where id = $1', [gone.userId])
    const copy = () => admin.rest.quotaCopyPrevious!({ body: { period: '2027-01', periodType: 'MONTH' } })
    const first = await copy()
    expect([first.status, first.body]).toEqual([200, { created: 1, skipped: 2, remaining: 0 }])
    const { data } = (await admin.rest.quotaList!({ query: { period: '2027-01', sortBy: 'target', sortOrder: 'asc' } }))
      .body
    expect(data).toMatchObject([
      { userId: rep.userId, target: 7, currency: 'EUR', startDate: null, version: 1 },
      { userId: admin.userId, target: 10 },
    ])
    expect((await copy()).body).toEqual({ created: 0, skipped: 3, remaining: 0 })
    const call = () => admin.rest.quotaCopyPrevious!({ body: { period: '2027-01', periodType: 'YEAR' } })
    expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', 'period WRONG_FORMAT'])
    const reader = await member({ role: 'READ_ONLY' })
    const read = () => reader.rest.quotaCopyPrevious!({ body: { period: '2027-01' } })
    expect(await refused(platform, read)).toEqual([403, 'PERMISSION_DENIED'])
  })
})

describe('deleting a quota', () => {
  it('removes it; others than its setters get 403, other organizations 404', async () => {
    const { admin, member } = await organization()
    const manager = await member({ role: 'MANAGER' })
    const { id } = (await set(admin, { userId: admin.userId, period: '2027-02', target: 1 })).body
    const { admin: foreign } = await organization()
    expect(await refused(platform, () => foreign.rest.quotaDelete!({ id }))).toEqual([404, 'NOT_FOUND'])
    expect(await refused(platform, () => manager.rest.quotaDelete!({ id }))).toEqual([403, 'PERMISSION_DENIED'])
    const blind = await member({ role: 'MANAGER', visibility: 'OWN' })
    expect(await refused(platform, () => blind.rest.quotaDelete!({ id }))).toEqual([404, 'NOT_FOUND'])
    const reader = await member({ role: 'READ_ONLY' })
    expect(await refused(platform, () => reader.rest.quotaDelete!({ id }))).toEqual([403, 'PERMISSION_DENIED'])
    expect((await admin.rest.quotaDelete!({ id })).status).toBe(204)
    expect((await admin.rest.quotaList!()).body.data).toEqual([])
    expect((await admin.rest.quotaDelete!({ id })).status).toBe(404)
  })
})

describe('attainment', () => {
  it('has exact figures of won and open deals', async () => {
    const { admin, member } = await organization()
    const rep = await member()
    const { id: accountId } = await account(admin)
    const { id } = (await set(admin, { userId: rep.userId, period: '2027-Q1', target: 64_000 })).body
    const deals = [
      { stage: 'CLOSED_WON', amount: 16_000 },
      { stage: 'CLOSED_LOST', amount: 99_000 },
      { stage: 'PROPOSAL', amount: 10_000 },
      { stage: 'NEGOTIATION', amount: 20_000 },
      { stage: 'QUALIFICATION', amount: 5_000 },
      { stage: 'PROPOSAL', amount: 70_000, closeDate: '2027-04-01' },
      { stage: 'PROPOSAL', amount: 80_000, forecastCategory: 'OMITTED' },
    ]
    for (const deal of deals) await opportunity(admin, { accountId, ownerId: rep.userId, ...deal })
    await opportunity(admin, { accountId, stage: 'CLOSED_WON', amount: 1 })
    const expected = {
      quotaId: id,
      userId: rep.userId,
      teamId: null,
      period: '2027-Q1',
      periodType: 'QUARTER',
      currency: 'USD',
      target: 64_000,
      closedWon: 16_000,
      attainmentPercent: 25,
      gap: 48_000,
      openPipeline: 35_000,
      weightedPipeline: 22_500,
      commit: 20_000,
      bestCase: 10_000,
      coverage: 0.73,
      // 21 of 64 business days.
      expectedToDate: 21_000,
      paceVariance: -5_000,
      projected: 38_500,
      unconverted: 0,
      isPartial: false,
    }
    expect(await attainment(admin)).toEqual([expected])
    expect(await attainment(admin, { period: '2027-Q1', userId: rep.userId })).toEqual([expected])
    expect(await attainment(admin, { periodType: 'MONTH' })).toEqual([])
    expect(await attainment(admin, { period: '2027-Q2' })).toEqual([])
    // Those who see neither the user nor the deals.
    expect(await attainment(await member({ visibility: 'OWN' }))).toEqual([])
    expect(await attainment((await organization()).admin)).toEqual([])
  })

  it('has no percentage of the target 0, and no coverage of a target that is reached', async () => {
    const { admin } = await organization()
    await set(admin, { userId: admin.userId, period: '2027-02', target: 0 })
    await opportunity(admin, { stage: 'CLOSED_WON', amount: 10 })
    expect(await attainment(admin)).toMatchObject([
      { closedWon: 10, attainmentPercent: null, gap: -10, coverage: null, projected: 10 },
    ])
  })

  it('converts won deals at their close dates and open ones at the rate of today', async () => {
    const { admin } = await organization()
    await rate(admin, 'EUR', '2027-01-01', 1.1)
    await rate(admin, 'EUR', '2027-02-01', 1.25)
    await rate(admin, 'CHF', '2027-01-01', 1.5)
    await set(admin, { userId: admin.userId, period: '2027-Q1', target: 1000, currency: 'CHF' })
    const { id: accountId } = await account(admin)
    const won = { accountId, stage: 'CLOSED_WON', currency: 'EUR', amount: 300, closeDate: '2027-01-15' }
    await opportunity(admin, won)
    await opportunity(admin, { ...won, currency: 'CHF', amount: 0.07 })
    await opportunity(admin, { accountId, stage: 'NEGOTIATION', currency: 'EUR', amount: 60 })
    await opportunity(admin, { accountId, stage: 'NEGOTIATION', currency: 'SEK', amount: 60 })
    expect(await attainment(admin)).toMatchObject([
      // 300 · 1.1 / 1.5 + 0.07; 60 · 1.25 / 1.5.
      {
        currency: 'CHF',
        closedWon: 220.07,
        openPipeline: 50,
        weightedPipeline: 40,
        attainmentPercent: 22.01,
        unconverted: 1,
      },
    ])
  })

  it('counts in periods of the zone of the organization, also across a change to summer time', async () => {
    const { admin } = await organization({ timezone: 'Europe/Berlin' })
    const { id: accountId } = await account(admin)
    const amounts = [
      ['2027-02-28T22:59:59.999Z', 1],
      ['2027-02-28T23:00:00.000Z', 10],
      ['2027-03-31T21:59:59.999Z', 100],
      ['2027-03-31T22:00:00.000Z', 1000],
    ] as const
    for (const [time, amount] of amounts)
      await at(time, () => opportunity(admin, { accountId, stage: 'CLOSED_WON', amount }))
    await admin.rest.quotaBulkSet!({
      body: {
        quotas: ['2027-02', '2027-03', '2027-04'].map((period) => ({ userId: admin.userId, period, target: 1 })),
      },
    })
    const won = async (period: string) => (await attainment(admin, { period }))[0].closedWon
    expect([await won('2027-02'), await won('2027-03'), await won('2027-04')]).toEqual([1, 110, 1000])
    // The current periods are those of the zone: in Berlin, April has begun.
    const current = await at('2027-03-31T22:00:00.000Z', () => attainment(admin))
    expect(current.map(({ period }: { period: string }) => period)).toEqual(['2027-04'])
  })

  it('counts in fiscal quarters, and in the days of the quota', async () => {
    const { admin } = await organization({ fiscalYearStartMonth: 2 })
    await opportunity(admin, { stage: 'CLOSED_WON', amount: 5 })
    const quotas = [
      { userId: admin.userId, period: '2026-Q4', target: 1 },
      { userId: admin.userId, period: '2027-Q1', target: 1 },
      { userId: admin.userId, period: '2027', target: 1, startDate: '2027-02-02' },
      { userId: admin.userId, period: '2027-02', target: 1, endDate: '2027-02-01' },
    ]
    expect((await admin.rest.quotaBulkSet!({ body: { quotas } })).status).toBe(200)
    const won = async (period: string) => (await attainment(admin, { period }))[0].closedWon
    expect(await Promise.all(quotas.map(({ period }) => won(period)))).toEqual([0, 5, 0, 5])
    // A deal of the midnight after the last day of a quota is not one of its deals, also beside a quota with more days.
    await at('2027-02-02T00:00:00.000Z', () => opportunity(admin, { stage: 'CLOSED_WON', amount: 70 }))
    const both = (await attainment(admin)) as { period: string; closedWon: number }[]
    expect(Object.fromEntries(both.map(({ period, closedWon }) => [period, closedWon]))).toEqual({
      '2027': 70,
      '2027-02': 5,
      '2027-Q1': 75,
    })
    // Another first month moves the days of the quotas, and deletes none.
    await platform.query(
      `update identity.organization set settings = settings || '{"fiscalYearStartMonth": 4}' where id = $1`,
      [admin.organizationId],
    )
    expect(await Promise.all(quotas.map(({ period }) => won(period)))).toEqual([75, 0, 0, 5])
  })

  it('of a team has the deals of its members; those that the caller does not see are missing', async () => {
    const { admin, member } = await organization()
    const [one, two] = [await member(), await member({ visibility: 'OWN' })]
    const teamId = await team(admin, [one, two])
    await set(admin, { teamId, period: '2027-02', target: 100 })
    await set(admin, { userId: two.userId, period: '2027-02', target: 50 })
    await opportunity(one, { stage: 'CLOSED_WON', amount: 30 })
    await opportunity(two, { stage: 'CLOSED_WON', amount: 20 })
    const figures = (await attainment(admin)) as { teamId: string | null; closedWon: number; isPartial: boolean }[]
    expect(figures.map((figure) => [figure.teamId, figure.closedWon, figure.isPartial])).toEqual([
      [null, 20, false],
      [teamId, 50, false],
    ])
    expect(await attainment(two)).toMatchObject([{ userId: two.userId, closedWon: 20, isPartial: false }])
  })

  it.each([
    ['the time of closing of deals', { opportunity: { closedAt: 'HIDDEN' } }],
    ['the owners of deals', { opportunity: { ownerId: 'HIDDEN' } }],
    ['the amounts of deals', { opportunity: { baseAmount: 'HIDDEN' } }],
    ['whose quotas are', { quota: { userId: 'HIDDEN' } }],
    ['the first days of quotas', { quota: { startDate: 'HIDDEN' } }],
  ])('is null if the profile hides %s', async (_, fields) => {
    const { admin, organizationId, member } = await organization()
    const rep = await member()
    await set(admin, { userId: rep.userId, period: '2027-02', target: 100 })
    await opportunity(admin, { ownerId: rep.userId, stage: 'CLOSED_WON', amount: 30 })
    const profileId = newId()
    await platform.query(
      `insert into identity.profile (organization_id, id, name, fields, created_at, updated_at) values ($1, $2, 'Blind', $3, now(), now())`,
      [organizationId, profileId, fields],
    )
    await platform.query('update identity.app_user set profile_id = $2 where id = $1', [rep.userId, profileId])
    expect(await attainment(rep)).toMatchObject([
      { target: 100, closedWon: null, attainmentPercent: null, openPipeline: null, projected: null, unconverted: null },
    ])
  })

  it.each([
    [{ period: '2027-Q1', periodType: 'MONTH' }, 'period WRONG_FORMAT'],
    [{ limit: 101 }, 'limit OUT_OF_RANGE'],
    [{ userId: 'me' }, 'userId WRONG_FORMAT'],
  ] as const)('refuses %o', async (query, problem) => {
    const { admin } = await organization()
    const [status, code, path] = await refusedInputs(platform, () => admin.rest.quotaAttainment!({ query }))
    expect([status, code, String(path).split(' ')[0]]).toEqual([400, 'VALIDATION_FAILED', problem.split(' ')[0]])
  })
})

describe('the target of the organization', () => {
  it('has the quotas of users, and of teams without a member who has one', async () => {
    const { admin, member } = await organization()
    const [one, two] = [await member(), await member({ visibility: 'OWN' })]
    await rate(admin, 'EUR', '2027-01-01', 1.1)
    const quotas = [
      { userId: one.userId, period: '2027-Q1', target: 100, currency: 'EUR' },
      { userId: two.userId, period: '2027-Q1', target: 50 },
      { userId: two.userId, period: '2027-Q2', target: 7 },
      { userId: admin.userId, period: '2027-Q1', target: 7, currency: 'SEK' },
      { teamId: await team(admin, [one]), period: '2027-Q1', target: 1000 },
      { teamId: await team(admin, []), period: '2027-Q1', target: 40 },
    ]
    expect((await admin.rest.quotaBulkSet!({ body: { quotas } })).status).toBe(200)
    await opportunity(one, { stage: 'CLOSED_WON', amount: 30 })
    await opportunity(two, { stage: 'CLOSED_WON', amount: 20 })
    const { status, body } = await admin.rest.organizationTarget!()
    expect([status, body]).toEqual([
      200,
      {
        period: '2027-Q1',
        periodType: 'QUARTER',
        currency: 'USD',
        target: 200,
        userTarget: 160,
        teamTarget: 40,
        quotas: 3,
        closedWon: 50,
        attainmentPercent: 25,
        unconverted: 1,
        isPartial: false,
      },
    ])
    expect((await two.rest.organizationTarget!({ query: { period: '2027-Q1' } })).body).toMatchObject({
      target: 50,
      teamTarget: 0,
      closedWon: 20,
      isPartial: true,
    })
    expect((await admin.rest.organizationTarget!({ query: { periodType: 'YEAR' } })).body).toMatchObject({
      period: '2027',
      target: 0,
      attainmentPercent: null,
      closedWon: 50,
    })
    const call = () => admin.rest.organizationTarget!({ query: { period: '2027', periodType: 'MONTH' } })
    expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', 'period WRONG_FORMAT'])
  })
})
