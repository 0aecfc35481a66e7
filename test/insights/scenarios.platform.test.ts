import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateUser } from '../../subgraphs/identity/public.ts'
import { failLostRuns } from '../../subgraphs/insights/simulation/scenario-run.queue.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { each, opportunity } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aScenario, hide, queueRun, ran, resultOf, scenario, untilQueued, work } from './scenario.fixture.ts'

const platform = usePlatform()
let organizationId: string
let member: Member
let deals: { id: string; pipelineId: string }[]

beforeAll(async () => {
  organizationId = await platform.organization('Simulated')
  member = await platform.member({ organizationId })
  const stages = ['PROSPECTING', 'PROPOSAL', 'NEGOTIATION', 'NEGOTIATION']
  deals = await each([...stages.entries()], ([index, stage]) =>
    opportunity(member, { stage, amount: 1000 * (index + 1), closeDate: `2027-02-${20 + index}` }),
  )
})
afterAll(() => expectValidEvents(platform))

const read = async (who: Member, id: string) => (await who.rest.scenario!({ id })).body
/** Days that no period has; the last one is in the year 10000 in some time zones. */
const farDays = ['0001-01-01', '1899-12-31', '2200-01-01', '9999-12-31', '9999-12-31T23:59:59.999Z']
const nobody = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'
const inDays = { horizonStart: '2027-02-01', horizonEnd: '2028-02-01' }

describe('scenarioCreate', () => {
  it('stores the question with its defaults, and no result', async () => {
    const { id, ...created } = await scenario(member, { name: 'Plain', iterations: undefined })
    expect(created).toMatchObject({
      status: 'DRAFT',
      iterations: 10_000,
      seed: 1,
      period: null,
      horizonStart: '2027-02-01T00:00:00.000Z',
      horizonEnd: '2027-05-02T23:59:59.999Z',
      filters: null,
      adjustments: [],
      target: null,
      failure: null,
      lastRunAt: null,
      ownerId: member.userId,
    })
    expect(await read(member, id)).toMatchObject({ progress: 0, result: null, warnings: [] })
    expect(await platform.eventTypesOf(id)).toEqual(['scenario.created'])
  })

  it('takes the horizon from the period', async () => {
    const { horizonStart, horizonEnd } = await scenario(member, { period: '2027-Q2' })
    expect([horizonStart, horizonEnd]).toEqual(['2027-04-01T00:00:00.000Z', '2027-06-30T23:59:59.999Z'])
  })

  const adjustment = (values: object) => ({ adjustments: [values] })
  it.each([
    [{ iterations: 999 }, 'iterations OUT_OF_RANGE'],
    [{ iterations: 100_001 }, 'iterations OUT_OF_RANGE'],
    [{ seed: -1 }, 'seed OUT_OF_RANGE'],
    [{ target: -1 }, 'target OUT_OF_RANGE'],
    [{ period: '2027-Q5' }, 'period WRONG_FORMAT'],
    [{ period: '2027', horizonEnd: '2027-03-01' }, 'horizonEnd NOT_ALLOWED'],
    [{ horizonStart: '2027-03-02', horizonEnd: '2027-03-01' }, 'horizonEnd OUT_OF_RANGE'],
    [{ horizonStart: '2027-03-02', horizonEnd: '2030-03-03' }, 'horizonEnd OUT_OF_RANGE'],
    [{ horizonEnd: '9999-12-31T23:59:59.999Z' }, 'horizonEnd OUT_OF_RANGE'],
    [{ period: '' }, 'period WRONG_FORMAT'],
    [{ filters: { stages: ['PROPOSAL', 'NOWHERE'] } }, 'filters.stages.1 UNKNOWN_STAGE'],
    [{ filters: { ownerIds: ['nobody'] } }, 'filters.ownerIds.0 UNKNOWN_REFERENCE'],
    [{ filters: { teamIds: ['019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'] } }, 'filters.teamIds.0 UNKNOWN_REFERENCE'],
    [{ filters: { accountIds: ['019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'] } }, 'filters.accountIds.0 UNKNOWN_REFERENCE'],
    [adjustment({ target: 'WIN_RATE', operation: 'SHIFT_DAYS', value: 1 }), 'adjustments.0.operation NOT_ALLOWED'],
    [adjustment({ target: 'WIN_RATE', operation: 'SET', value: 1.01 }), 'adjustments.0.value OUT_OF_RANGE'],
    [adjustment({ target: 'WIN_RATE', operation: 'SET', value: '0.5' }), 'adjustments.0.value WRONG_TYPE'],
    [adjustment({ target: 'AMOUNT', operation: 'MULTIPLY', value: -1 }), 'adjustments.0.value OUT_OF_RANGE'],
    [adjustment({ target: 'CLOSE_DATE', operation: 'SHIFT_DAYS', value: 1.5 }), 'adjustments.0.value WRONG_TYPE'],
    [adjustment({ target: 'CLOSE_DATE', operation: 'SET', value: '31.3.' }), 'adjustments.0.value WRONG_FORMAT'],
    [adjustment({ target: 'STAGE', operation: 'SET', value: 'NOWHERE' }), 'adjustments.0.value UNKNOWN_STAGE'],
    [adjustment({ target: 'CYCLE_TIME', operation: 'ADD', value: 1 }), 'adjustments.0.operation NOT_ALLOWED'],
    [adjustment({ target: 'REMOVE_DEAL' }), 'adjustments.0.scope REQUIRED'],
    [adjustment({ target: 'REMOVE_DEAL', scope: {} }), 'adjustments.0.scope EMPTY'],
    [adjustment({ target: 'REMOVE_DEAL', scope: [1] }), 'adjustments.0.scope WRONG_TYPE'],
    [adjustment({ target: 'REMOVE_DEAL', scope: { stages: 'X' } }), 'adjustments.0.scope.stages UNKNOWN_FIELD'],
    [adjustment({ target: 'REMOVE_DEAL', scope: { ownerId: 7 } }), 'adjustments.0.scope.ownerId NOT_AN_ID'],
    [
      adjustment({ target: 'REMOVE_DEAL', scope: { opportunityId: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41' } }),
      'adjustments.0.scope.opportunityId UNKNOWN_REFERENCE',
    ],
    [
      adjustment({ target: 'NEW_PIPELINE', operation: 'SET', value: 3, scope: { stage: 'PROPOSAL' } }),
      'adjustments.0.scope NOT_ALLOWED',
    ],
  ])('refuses %j', async (values, problem) => {
    const call = () => member.rest.scenarioCreate!({ body: aScenario(values) })
    expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', problem])
  })

  it('refuses more than 50 adjustments', async () => {
    const adjustments = Array.from({ length: 51 }, () => ({ target: 'AMOUNT', operation: 'ADD', value: 1 }))
    const call = () => member.rest.scenarioCreate!({ body: aScenario({ adjustments }) })
    expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', 'adjustments TOO_MANY'])
  })
})

describe.each(farDays)('a horizon that begins on %s', (horizonStart) => {
  const plain = [{ adjustments: [] }, { adjustments: [] }]
  it.each([
    ['scenarioCreate', { body: aScenario({ horizonStart }) }],
    ['scenarioCompare', { body: { scenarios: plain, horizonStart } }],
    ['pipelineBaseline', { query: { horizonStart } }],
  ])('is refused by %s', async (operation, request) => {
    const call = () => member.rest[operation]!(request)
    expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', 'horizonStart OUT_OF_RANGE'])
  })
})

describe('scenarioRun', () => {
  it('answers the completed scenario when a worker is quick', async () => {
    const { id } = await scenario(member, inDays)
    const answer = member.rest.scenarioRun!({ id })
    await untilQueued(platform)
    await work(platform)
    const { status, body } = await answer
    expect([status, body.status, body.progress, body.lastRunAt]).toEqual([
      200,
      'COMPLETED',
      1,
      platform.now.toISOString(),
    ])
    expect(body.result).toMatchObject({ currency: 'USD', iterations: 1000, seed: 1, deals: 4, unconverted: 0 })
    expect(await platform.eventTypesOf(id)).toEqual(['scenario.created', 'scenario.updated', 'scenario.updated'])
  })

  it('has the win rates of the stages, which add up to the mean', async () => {
    const { mean, byStage, dealContributions, expectedWins, baseline, delta, byMonth, newPipeline, closedWon } =
      await resultOf(platform, member, { ...inDays, iterations: 100_000 })
    // No deal was closed yet, so each stage has its own probability.
    const expected = 0.1 * 1000 + 0.55 * 2000 + 0.8 * 7000
    expect(Math.abs(mean - expected)).toBeLessThan(60)
    expect(dealContributions.map(({ opportunityId }: { opportunityId: string }) => opportunityId)).toEqual(
      deals.map(({ id }) => id).toSorted(),
    )
    const sum = dealContributions.reduce(
      (all: number, one: { meanContribution: number }) => all + one.meanContribution,
      0,
    )
    expect(Math.abs(sum - mean)).toBeLessThan(0.03)
    expect(byStage).toMatchObject([
      { stage: 'PROSPECTING', deals: 1, amount: 1000, winRate: 0.1, sampleSize: 0 },
      { stage: 'PROPOSAL', deals: 1, amount: 2000, winRate: 0.55, winRateInterval: [0.3421, 0.7418] },
      { stage: 'NEGOTIATION', deals: 2, amount: 7000, winRate: 0.8 },
    ])
    expect(Math.abs(expectedWins - 2.25)).toBeLessThan(0.02)
    expect([baseline.mean, delta.mean, delta.p50, newPipeline, closedWon]).toEqual([mean, 0, 0, null, 0])
    expect(byMonth).toHaveLength(13)
  })

  it('gives the same result and the same digest again, and another one with another seed', async () => {
    const [one, again, other] = [
      await resultOf(platform, member, inDays),
      await resultOf(platform, member, inDays),
      await resultOf(platform, member, { ...inDays, seed: 0 }),
    ]
    expect(again).toEqual(one)
    expect(other.dataVersion).not.toBe(one.dataVersion)
    expect(JSON.stringify(one)).not.toMatch(/\d{4}-\d{2}-\d{2}T/)
  })

  it('applies the adjustments in their order', async () => {
    const of = (adjustments: object[]) => resultOf(platform, member, { ...inDays, adjustments })
    const certain = { target: 'WIN_RATE', operation: 'SET', value: 1 }
    const [, proposal] = deals
    expect(await of([certain])).toMatchObject({ mean: 10_000, stdDev: 0, p5: 10_000, max: 10_000 })
    expect(await of([certain, { target: 'AMOUNT', operation: 'MULTIPLY', value: 2 }])).toMatchObject({ mean: 20_000 })
    expect(
      await of([
        { target: 'AMOUNT', operation: 'ADD', value: 500 },
        { target: 'AMOUNT', operation: 'MULTIPLY', value: 2, scope: { opportunityId: proposal!.id } },
        certain,
      ]),
    ).toMatchObject({ mean: 12_000 + 2500 })
    expect(await of([certain, { target: 'REMOVE_DEAL', scope: { stage: 'NEGOTIATION' } }])).toMatchObject({
      deals: 2,
      mean: 3000,
    })
    // After its move, the deal is in another stage.
    expect(
      await of([
        certain,
        { target: 'STAGE', operation: 'SET', value: 'CLOSED_LOST', scope: { stage: 'PROPOSAL' } },
        { target: 'REMOVE_DEAL', scope: { stage: 'PROPOSAL' } },
      ]),
    ).toMatchObject({ deals: 4, mean: 8000 })
    expect(await of([certain, { target: 'CLOSE_DATE', operation: 'SET', value: '2028-02-02' }])).toMatchObject({
      mean: 0,
    })
    expect(await of([certain, { target: 'CLOSE_DATE', operation: 'SHIFT_DAYS', value: -3650 }])).toMatchObject({
      mean: 10_000,
    })
    expect(await of([certain, { target: 'CYCLE_TIME', operation: 'MULTIPLY', value: 1000 }])).toMatchObject({ mean: 0 })
  })

  it('refuses a second run with 409 while it is running, and loses nothing of the first', async () => {
    const { id } = await scenario(member, inDays)
    await queueRun(member, id)
    expect(await refused(platform, () => member.rest.scenarioRun!({ id }))).toEqual([409, 'INVALID_STATE'])
    expect(await refused(platform, () => member.rest.scenarioDelete!({ id }))).toEqual([409, 'INVALID_STATE'])
    await work(platform)
    expect(await read(member, id)).toMatchObject({ status: 'COMPLETED', progress: 1 })
    expect((await member.rest.scenarioDelete!({ id })).status).toBe(204)
    expect((await member.rest.scenario!({ id })).status).toBe(404)
  })

  it('replays the answer of an idempotency key, and runs once', async () => {
    const { id } = await scenario(member, inDays)
    const call = () => member.rest.scenarioRun!({ id, headers: { 'Idempotency-Key': `once-${id}` } })
    const [first, second] = [await call(), await call()]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await platform.query('select state from insights.scenario_run where scenario_id = $1', [id])).toHaveLength(1)
    await work(platform)
  })

  it('is FAILED when the user has left the organization', async () => {
    const leaver = await platform.member({ organizationId })
    const { id } = await scenario(leaver, inDays)
    await queueRun(leaver, id)
    await platform.query('update identity.app_user set is_active = false where id = $1', [leaver.userId])
    await work(platform)
    expect(await read(member, id)).toMatchObject({ status: 'FAILED', failure: 'OWNER_INACTIVE', result: null })
  })

  it('is 404 for another organization', async () => {
    const { id } = await scenario(member, inDays)
    const foreign = await platform.member({ organizationId: await platform.organization('Foreign') })
    for (const operation of ['scenarioRun', 'scenarioCancel', 'scenarioDelete'])
      expect(await refused(platform, () => foreign.rest[operation]!({ id }))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('a run whose process dies', () => {
  const interrupt = (id: string, attempts: number) =>
    platform.query(
      `update insights.scenario_run set attempts = $2, lease_token = gen_random_uuid(), is_due = false,
         next_attempt_at = now() - interval '1 second' where scenario_id = $1`,
      [id, attempts],
    )

  it('is repeated when its lease has ended', async () => {
    const { id } = await scenario(member, inDays)
    await queueRun(member, id)
    await interrupt(id, 1)
    await work(platform)
    expect(await read(member, id)).toMatchObject({ status: 'COMPLETED', failure: null })
  })

  it('is FAILED as INTERRUPTED after three attempts, and can be run again', async () => {
    const { id } = await scenario(member, inDays)
    await queueRun(member, id)
    await interrupt(id, 2)
    await work(platform)
    expect(await read(member, id)).toMatchObject({ status: 'FAILED', failure: 'INTERRUPTED', result: null })
    expect(await ran(platform, member, id)).toMatchObject({ status: 'COMPLETED', failure: null })
  })

  it('is FAILED when its end was never recorded', async () => {
    const { id } = await scenario(member, inDays)
    await queueRun(member, id)
    await platform.query(`update insights.scenario_run set state = 'FAILED', is_due = false where scenario_id = $1`, [
      id,
    ])
    await failLostRuns.run(platform.services)
    expect(await read(member, id)).toMatchObject({ status: 'FAILED', failure: 'INTERRUPTED' })
  })
})

describe('scenarioCancel', () => {
  it('restores the status and the result that the scenario had', async () => {
    const { id } = await scenario(member, inDays)
    const { result, lastRunAt } = await ran(platform, member, id)
    platform.advanceClock(60_000)
    await queueRun(member, id)
    const { status, body } = await member.rest.scenarioCancel!({ id })
    expect([status, body.status, body.result, body.lastRunAt]).toEqual([200, 'COMPLETED', result, lastRunAt])
    await work(platform)
    expect(await read(member, id)).toMatchObject({ status: 'COMPLETED', lastRunAt, version: body.version })
    expect(await refused(platform, () => member.rest.scenarioCancel!({ id }))).toEqual([409, 'INVALID_STATE'])
  })

  it('is not replayed with a result that the caller does not see any more', async () => {
    const reader = await platform.member({ organizationId })
    const { id } = await scenario(member, { ...inDays, ownerId: reader.userId })
    const { result } = await ran(platform, member, id)
    await queueRun(reader, id)
    const call = { id, headers: { 'Idempotency-Key': newId() } }
    const first = await reader.rest.scenarioCancel!(call)
    const again = await reader.rest.scenarioCancel!(call)
    expect([first.body.result, again.body]).toEqual([result, first.body])
    await updateUser(platform.services, organizationId, reader.userId, { visibility: 'OWN' })
    // A gateway caches what a user may see for a second.
    platform.advanceClock(1000)
    expect(await refused(platform, () => reader.rest.scenarioCancel!(call))).toEqual([404, 'NOT_FOUND'])
    expect(await read(reader, id)).toMatchObject({ status: 'COMPLETED', result: null })
    await work(platform)
  })

  it('ends a run that has begun: its result is thrown away', async () => {
    const { id } = await scenario(member, { ...inDays, iterations: 100_000 })
    await queueRun(member, id)
    const working = work(platform)
    const begun = `select 1 from insights.scenario_run where scenario_id = $1 and lease_token is not null`
    await expect.poll(async () => (await platform.query(begun, [id])).length, { timeout: 30_000, interval: 5 }).toBe(1)
    await member.rest.scenarioCancel!({ id })
    await working
    expect(await read(member, id)).toMatchObject({ status: 'DRAFT', result: null, lastRunAt: null })
  })
})

describe('a result', () => {
  it('is hidden from a reader who sees less than the user who ran it', async () => {
    const limited = await platform.member({ organizationId, visibility: 'OWN' })
    const own = await opportunity(member, { amount: 50, stage: 'PROPOSAL', ownerId: limited.userId })
    const { id } = await scenario(member, { ...inDays, ownerId: limited.userId })
    expect((await ran(platform, member, id)).result.deals).toBe(5)
    const hidden = await read(limited, id)
    expect([hidden.result, hidden.warnings.map(({ code }: { code: string }) => code)]).toEqual([
      null,
      ['RESULT_HIDDEN'],
    ])
    await queueRun(limited, id)
    await work(platform)
    const mine = await read(limited, id)
    expect(mine.warnings).toEqual([])
    expect(mine.result).toMatchObject({ deals: 1, dealContributions: [{ opportunityId: own.id }] })
    expect((await read(member, id)).result).toEqual(mine.result)
    await member.rest.opportunityDelete!({ id: own.id })
  })

  it('has no money for a user whose profile hides amounts, who cannot ask for a smallest amount', async () => {
    const blind = await platform.member({ organizationId })
    await hide(platform, blind, { opportunity: { baseAmount: 'HIDDEN' } })
    const result = await resultOf(platform, blind, { ...inDays, target: 100 })
    expect(result).toMatchObject({
      mean: null,
      p50: null,
      stdDev: null,
      probabilityOfTarget: null,
      closedWon: null,
      histogram: [],
    })
    expect(result.delta).toEqual({ mean: null, p10: null, p50: null, p90: null, probabilityOfTarget: null })
    expect(result.byStage[0]).toMatchObject({ deals: 1, amount: null, mean: null })
    expect(result.dealContributions[0]).toMatchObject({ meanContribution: null, p50Delta: null })
    expect(result.expectedWins).toBeGreaterThan(1)
    const call = () => blind.rest.scenarioCreate!({ body: aScenario({ filters: { minAmount: 1 } }) })
    expect(await refusedInputs(platform, call)).toEqual([
      403,
      'FIELD_NOT_READABLE',
      'filters.minAmount FIELD_NOT_READABLE',
    ])
    const theirs = await scenario(member, { ...inDays, filters: { minAmount: 1 } })
    expect(await refused(platform, () => blind.rest.scenarioRun!({ id: theirs.id }))).toEqual([
      403,
      'FIELD_NOT_READABLE',
    ])
  })
})

describe('scenarioCompare', () => {
  it('runs stored scenarios on one snapshot with the random numbers of the first', async () => {
    const certain = { target: 'WIN_RATE', operation: 'SET', value: 1 }
    const [one, other] = [
      await scenario(member, { ...inDays, name: 'One', adjustments: [certain] }),
      await scenario(member, {
        name: 'Other',
        seed: 9,
        adjustments: [certain, { target: 'AMOUNT', operation: 'ADD', value: 10 }],
      }),
    ]
    const { status, body } = await member.rest.scenarioCompare!({ body: { scenarioIds: [one.id, other.id] } })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.scenarios).toMatchObject([
      { scenarioId: one.id, name: 'One', result: { mean: 10_000, seed: 1 } },
      { scenarioId: other.id, name: 'Other', result: { mean: 10_040, seed: 1, baseline: null } },
    ])
    expect(body.differences).toEqual([
      {
        fromIndex: 0,
        toIndex: 1,
        fromScenarioId: one.id,
        toScenarioId: other.id,
        mean: 40,
        p10: 40,
        p50: 40,
        p90: 40,
        probabilityOfTarget: null,
      },
    ])
  })

  it('compares assumptions that are not stored, and changes nothing', async () => {
    const before = await platform.fingerprint()
    const { body } = await member.rest.scenarioCompare!({
      body: {
        scenarios: [
          { adjustments: [] },
          { name: 'None', adjustments: [{ target: 'REMOVE_DEAL', scope: { ownerId: member.userId } }] },
        ],
        filters: { stages: ['NEGOTIATION'] },
        iterations: 1000,
        target: 1,
        ...inDays,
      },
    })
    expect(body.scenarios).toMatchObject([
      { scenarioId: null, name: 'Scenario 1', result: { deals: 2 } },
      { name: 'None', result: { deals: 0, mean: 0, probabilityOfTarget: 0 } },
    ])
    expect(await platform.fingerprint()).toBe(before)
  })

  it.each([
    [{}, 'scenarioIds REQUIRED'],
    [{ scenarioIds: [nobody, nobody] }, 'scenarioIds.0 UNKNOWN_REFERENCE, scenarioIds.1 UNKNOWN_REFERENCE'],
    [{ scenarioIds: [nobody, nobody], seed: 1 }, 'seed NOT_ALLOWED'],
    [{ scenarios: [{ adjustments: [] }] }, 'scenarios TOO_FEW'],
    [{ scenarios: [{ adjustments: [] }, { adjustments: [] }], iterations: 5 }, 'iterations OUT_OF_RANGE'],
    [
      { scenarios: [{ adjustments: [] }, { adjustments: [{ target: 'AMOUNT', operation: 'SET', value: 'x' }] }] },
      'scenarios.1.adjustments.0.value WRONG_TYPE',
    ],
    [
      { scenarios: [{ adjustments: [] }, { adjustments: [{ target: 'STAGE', operation: 'SET', value: 'X' }] }] },
      'scenarios.1.adjustments.0.value UNKNOWN_STAGE',
    ],
  ])('refuses %j', async (body, problems) => {
    const call = () => member.rest.scenarioCompare!({ body })
    expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', ...problems.split(', ')])
  })
})

describe('pipelineBaseline and scenarioStats', () => {
  it('simulates every deal that the caller sees', async () => {
    const { body } = await member.rest.pipelineBaseline!({ query: { ...inDays, iterations: 1000, target: 0 } })
    expect(body).toMatchObject({ deals: 4, iterations: 1000, baseline: null, delta: null, probabilityOfTarget: 1 })
    const nothing = await platform.member({ organizationId: await platform.organization('Empty') })
    expect((await nothing.rest.pipelineBaseline!()).body).toMatchObject({
      deals: 0,
      mean: 0,
      stdDev: 0,
      histogram: [{ from: 0, to: 1, count: 10_000 }],
      byStage: [],
      dealContributions: [],
    })
  })

  it('counts the scenarios that the caller sees, and their runs', async () => {
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const byStatus = { DRAFT: 0, RUNNING: 0, COMPLETED: 0, FAILED: 0 }
    const none = { total: 0, byStatus, runs24h: 0, p95Ms: null }
    expect((await own.rest.scenarioStats!()).body).toEqual(none)
    await scenario(own)
    await resultOf(platform, own)
    const { body } = await own.rest.scenarioStats!()
    expect(body).toEqual({
      total: 2,
      byStatus: { ...byStatus, DRAFT: 1, COMPLETED: 1 },
      runs24h: 1,
      p95Ms: expect.any(Number),
    })
  })
})
