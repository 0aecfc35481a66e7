import { afterAll, describe, expect, it } from 'vitest'
import { opportunity } from '../../../test/builders.ts'
import { expectValidEvents, refused, refusedInputs, unchanged } from '../../../test/expectations.ts'
import { usePlatform, type Member, type MemberOptions } from '../../../test/platform.ts'
import { updateUser } from '../../identity/public.ts'
import { newId } from '../../kernel/ids.ts'

const platform = usePlatform()
afterAll(() => expectValidEvents(platform))

/** A manager with two users below, in an organization of its own. */
async function hierarchy() {
  const organizationId = await platform.organization('Forecasts')
  const member = (options: MemberOptions = {}) => platform.member({ organizationId, ...options })
  const [admin, manager, one, two] = [
    await member({ role: 'ADMIN' }),
    await member({ role: 'MANAGER' }),
    await member({ visibility: 'OWN' }),
    await member(),
  ]
  for (const rep of [one, two])
    await platform.query('update identity.app_user set manager_id = $2 where id = $1', [rep.userId, manager.userId])
  return { organizationId, member, admin, manager, one, two }
}

async function hide(member: Member, field: string, object = 'opportunity'): Promise<void> {
  const profileId = newId()
  await platform.query(
    `insert into identity.profile (organization_id, id, name, fields, created_at, updated_at) values ($1, $2, $4, $3, now(), now())`,
    [member.organizationId, profileId, { [object]: { [field]: 'HIDDEN' } }, `Without ${field}`],
  )
  await platform.query('update identity.app_user set profile_id = $2 where id = $1', [member.userId, profileId])
}

/** A gateway caches what a user may see for a second. */
async function setVisibility({ organizationId, userId }: Member, visibility: 'OWN') {
  await updateUser(platform.services, organizationId, userId, { visibility })
  platform.advanceClock(1000)
}

const submit = (member: Member, body: object = {}) =>
  member.rest.forecastSubmit!({ body: { period: '2027-Q1', ...body } })
const list = async (member: Member, query: Record<string, string | number> = {}) => {
  const { status, body } = await member.rest.forecastList!({ query })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as Record<string, unknown>[]
}

const nothingCounted = { closed: null, systemCommit: null, systemBestCase: null, systemPipeline: null, delta: null }

describe('submitting a forecast', () => {
  it('answers the revision with what the deals say, and its difference', async () => {
    const { organizationId, one } = await hierarchy()
    await opportunity(one, { stage: 'CLOSED_WON', amount: 30 })
    await opportunity(one, { amount: 100.1, forecastCategory: 'COMMIT' })
    await opportunity(one, { amount: 50, forecastCategory: 'BEST_CASE' })
    await opportunity(one, { amount: 7, forecastCategory: 'PIPELINE' })
    await opportunity(one, { amount: 1000, forecastCategory: 'OMITTED' })
    await opportunity(one, { amount: 2000, forecastCategory: 'COMMIT', closeDate: '2027-04-01T00:00:00.000Z' })
    const { status, body } = await submit(one, { periodType: 'QUARTER', commit: 120.5, bestCase: 40, notes: 'Firm.' })
    expect([status, body]).toEqual([
      201,
      {
        id: body.id,
        organizationId,
        userId: one.userId,
        period: '2027-Q1',
        periodType: 'QUARTER',
        commit: 120.5,
        bestCase: 40,
        pipeline: null,
        currency: 'USD',
        notes: 'Firm.',
        revision: 1,
        submittedAt: '2027-02-01T09:00:00.000Z',
        submittedById: one.userId,
        closed: 30,
        systemCommit: 100.1,
        systemBestCase: 50,
        systemPipeline: 7,
        delta: { commit: 20.4, bestCase: -10, pipeline: null },
      },
    ])
    expect(await list(one)).toEqual([body])
    const events = await platform.eventsOf(body.id as string)
    expect(events.map(({ type }) => type)).toEqual(['forecast.submitted'])
    expect(JSON.stringify(events)).not.toContain('ounted')
  })

  it('numbers concurrent submissions without a gap, and answers the same at both paths', async () => {
    const { one } = await hierarchy()
    const body = { period: '2027-Q1', commit: 1 }
    const calls = [0, 1, 2, 3].map((index) =>
      index % 2 ? one.rest.forecastCreate!({ body }) : one.rest.forecastSubmit!({ body }),
    )
    const answers = await Promise.all(calls)
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(answers.map(({ body: { revision } }) => revision))).toEqual(new Set([1, 2, 3, 4]))
    expect((await submit(one, { period: '2027-Q2' })).body.revision).toBe(1)
    expect((await list(one, { period: '2027-Q1', limit: 3 })).length).toBe(3)
    expect((await list(one, { period: '2027-Q1', limit: 3, page: 2 })).length).toBe(1)
  })

  it('counts the deals of everybody below, and tells them only to callers who see all of these users', async () => {
    const { admin, manager, one, two } = await hierarchy()
    await opportunity(manager, { amount: 1, forecastCategory: 'COMMIT' })
    await opportunity(one, { amount: 10, forecastCategory: 'COMMIT' })
    await opportunity(two, { amount: 100, forecastCategory: 'COMMIT' })
    expect((await submit(manager, { commit: 200 })).body).toMatchObject({ systemCommit: 111, delta: { commit: 89 } })
    await setVisibility(manager, 'OWN')
    expect((await submit(manager, { commit: 200 })).body).toMatchObject({ commit: 200, ...nothingCounted })
    expect(await list(manager)).toMatchObject([nothingCounted, nothingCounted])
    expect(await list(admin)).toMatchObject([{ systemCommit: 111 }, { systemCommit: 111 }])
    expect(await list(one)).toEqual([])
  })

  it('is no longer replayed to a caller who sees less than the answer told', async () => {
    const { manager, one } = await hierarchy()
    await opportunity(one, { amount: 10, forecastCategory: 'COMMIT' })
    const call = { body: { period: '2027-Q1', commit: 200 }, headers: { 'Idempotency-Key': newId() } }
    const first = await manager.rest.forecastSubmit!(call)
    expect(first.body).toMatchObject({ systemCommit: 10, revision: 1 })
    const again = await unchanged(platform, () => manager.rest.forecastSubmit!(call))
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
    await setVisibility(manager, 'OWN')
    expect(await refused(platform, () => manager.rest.forecastSubmit!(call))).toEqual([404, 'NOT_FOUND'])
  })

  it('tells no figure of deals to a caller whose profile hides a field that they need', async () => {
    const { admin, one } = await hierarchy()
    await opportunity(one, { amount: 10, forecastCategory: 'COMMIT' })
    await hide(one, 'closedAt')
    expect((await submit(one, { commit: 5 })).body).toMatchObject({ commit: 5, ...nothingCounted })
    expect(await list(admin)).toMatchObject([{ commit: 5, systemCommit: 10, delta: { commit: -5 } }])
  })

  it('is open for others to owners, admins and the managers above', async () => {
    const { admin, manager, one, two, member } = await hierarchy()
    const body = { userId: one.userId, commit: 5 }
    expect((await submit(admin, body)).body).toMatchObject({ revision: 1, submittedById: admin.userId })
    expect((await submit(manager, body)).body).toMatchObject({ revision: 2, submittedById: manager.userId })
    for (const other of [two, await member({ role: 'MANAGER' })])
      expect(await refused(platform, () => submit(other, body))).toEqual([403, 'PERMISSION_DENIED'])
    const reader = await member({ role: 'READ_ONLY' })
    expect(await refused(platform, () => submit(reader))).toEqual([403, 'PERMISSION_DENIED'])
  })

  it.each([
    ['an unknown user', { userId: newId() }, 'userId UNKNOWN_REFERENCE'],
    ['a period of another type', { periodType: 'YEAR' }, 'period WRONG_FORMAT'],
    ['a year before the calendar', { period: '0000' }, 'period WRONG_FORMAT'],
    ['a year after the calendar', { period: '9999-Q4' }, 'period WRONG_FORMAT'],
    ['a negative amount', { commit: -1 }, 'commit OUT_OF_RANGE'],
    ['more decimals than the currency has', { bestCase: 1.5, currency: 'JPY' }, 'bestCase TOO_PRECISE'],
    ['an unknown currency', { currency: 'XYZ' }, 'currency NOT_A_CURRENCY'],
  ])('refuses %s and changes nothing', async (_, values, problem) => {
    const { admin } = await hierarchy()
    expect(await refusedInputs(platform, () => submit(admin, values))).toEqual([400, 'VALIDATION_FAILED', problem])
  })
})

describe('the rollup', () => {
  const rollup = async (member: Member, query: Record<string, string> = {}) => {
    const { status, body } = await member.rest.forecastRollup!({ query })
    expect(status, JSON.stringify(body)).toBe(200)
    return body as never as Node & Record<string, unknown>
  }
  interface Node {
    readonly userId: string
    readonly own: Record<string, unknown>
    readonly team: Record<string, unknown>
    readonly children: readonly Node[]
  }
  const ids = ({ children }: Node): unknown[] => children.map((child) => [child.userId, ids(child)])
  const sums = (closed: number, commit: number, quota: number | null) => ({
    closed,
    commit,
    bestCase: 0,
    pipeline: 0,
    weighted: commit / 2,
    quota,
    commitTotal: closed + commit,
    bestCaseTotal: closed + commit,
  })
  const deal = (owner: Member, amount: number, values: object = {}) =>
    opportunity(owner, { amount, forecastCategory: 'COMMIT', probability: 50, ...values })

  it('counts each user and each deal once, by who reports to whom', async () => {
    const { admin, manager, one, two } = await hierarchy()
    await deal(manager, 1)
    await deal(one, 10)
    const moved = await deal(one, 100)
    await opportunity(two, { amount: 1000, stage: 'CLOSED_WON' })
    for (const [userId, target] of [
      [one.userId, 400],
      [two.userId, 2000],
    ])
      await admin.rest.quotaSet!({ body: { userId, period: '2027-Q1', target } })
    // The owner of today counts.
    await admin.rest.opportunityUpdate!({ id: moved.id as string, body: { ownerId: two.userId } })
    await submit(one, { commit: 12 })
    await submit(two, { commit: 90, bestCase: 5 })
    const root = await rollup(admin)
    expect(root).toMatchObject({
      userId: null,
      name: null,
      period: '2027-Q1',
      periodType: 'QUARTER',
      currency: 'USD',
      unconverted: 0,
      isPartial: false,
      attainmentPercent: 41.67,
      managerAdjustment: null,
      own: sums(0, 0, null),
      team: sums(1000, 111, 2400),
      submitted: { commit: 102, bestCase: 5, pipeline: 0 },
    })
    const node = root.children.find(({ userId }) => userId === manager.userId)!
    expect(node).toMatchObject({ own: sums(0, 1, null), team: sums(1000, 111, 2400), managerAdjustment: null })
    expect(new Map(node.children.map(({ userId, own }) => [userId, own]))).toEqual(
      new Map([
        [one.userId, sums(0, 10, 400)],
        [two.userId, sums(1000, 100, 2000)],
      ]),
    )
    await submit(manager, { commit: 80 })
    const after = (await rollup(admin)).children.find(({ userId }) => userId === manager.userId)!
    expect(after).toMatchObject({
      team: sums(1000, 111, 2400),
      submitted: { commit: 80, bestCase: 0, pipeline: 0 },
      managerAdjustment: { commit: -22, bestCase: -5, pipeline: 0 },
    })
  })

  it('has no figure of deals by user if the profile hides whose they are, and no quotas if it hides theirs', async () => {
    const { admin, one, two } = await hierarchy()
    await deal(one, 10)
    await admin.rest.quotaSet!({ body: { userId: one.userId, period: '2027-Q1', target: 400 } })
    await hide(two, 'ownerId')
    const figures = { closed: null, commit: null, weighted: null, quota: 400 }
    expect((await rollup(two)).team).toMatchObject(figures)
    await hide(two, 'userId', 'quota')
    const node = (await rollup(two)).children.flatMap(({ children }) => children)
    expect(node.find(({ userId }) => userId === one.userId)).toMatchObject({ own: sums(0, 10, null) })
    expect((await rollup(two)).team).toMatchObject({ quota: null })
  })

  it('has the users that the caller sees only, and no figure of deals if the profile hides a field', async () => {
    const { admin, manager, one } = await hierarchy()
    await deal(manager, 1)
    await deal(one, 10)
    const own = await rollup(one)
    expect([ids(own), own.team, own.isPartial]).toEqual([[[one.userId, []]], sums(0, 10, null), true])
    await admin.rest.quotaSet!({ body: { userId: one.userId, period: '2027-Q1', target: 400 } })
    await hide(one, 'closedAt')
    const blind = await rollup(one)
    const nulls = Object.fromEntries(Object.keys(sums(0, 0, 0)).map((name) => [name, null]))
    expect(blind).toMatchObject({ team: { ...nulls, quota: 400 }, unconverted: null, attainmentPercent: null })
    expect(blind.children).toMatchObject([{ own: { ...nulls, quota: 400 }, attainmentPercent: null }])
  })

  it('has users of a deactivated manager under the next one above, and deals of who has left', async () => {
    const { admin, manager, one, two } = await hierarchy()
    await deal(manager, 1)
    await platform.query('update identity.app_user set manager_id = $2 where id = $1', [manager.userId, admin.userId])
    await platform.query('update identity.app_user set is_active = false where id = $1', [manager.userId])
    const root = await rollup(admin)
    const below = [manager, one, two].map(({ userId }) => [userId, []])
    expect(root.children.map(({ userId }) => userId)).toEqual([admin.userId])
    expect(new Set(ids(root.children[0]!))).toEqual(new Set(below))
    expect(root.team).toEqual(sums(0, 1, null))
    expect(await refusedInputs(platform, () => admin.rest.forecastRollup!({ query: { period: '2027-13' } }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'period WRONG_FORMAT',
    ])
  })

  it('counts deals to the midnight of the organization', async () => {
    const { admin, organizationId, one } = await hierarchy()
    await platform.query('update identity.organization set settings = $2 where id = $1', [
      organizationId,
      { timezone: 'America/New_York' },
    ])
    await deal(one, 1, { closeDate: '2027-04-01T03:59:59.999Z' })
    await deal(one, 10, { closeDate: '2027-04-01T04:00:00.000Z' })
    expect((await rollup(admin, { period: '2027-Q1' })).team).toMatchObject({ commit: 1 })
    expect((await rollup(admin, { period: '2027-04', periodType: 'MONTH' })).team).toMatchObject({ commit: 10 })
  })
})
