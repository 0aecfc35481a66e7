import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { supportCase } from '../builders.ts'
import { expectValidEvents, unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})
afterAll(() => expectValidEvents(platform))

const hour = 3_600_000
const statuses = ['NEW', 'OPEN', 'PENDING_CUSTOMER', 'ESCALATED', 'RESOLVED', 'CLOSED'] as const
type Status = (typeof statuses)[number]

/** When the case is created, and one hour later, when its status is set. */
interface CaseTimes {
  came: string
  moved: string
  /** 72 hours after the case is created. */
  due: string
  /** The same plus the hour in PENDING_CUSTOMER. */
  later: string
  /** 24 hours after the case is created, for the priority HIGH of an escalated case. */
  soon: string
}

interface Effects {
  priority: string
  slaDueAt: string
  escalatedAt: string | null
  escalationLevel: number
  resolvedAt: string | null
  closedAt: string | null
  reopenCount: number
}

const plain = ({ due }: CaseTimes): Effects => ({
  priority: 'MEDIUM',
  slaDueAt: due,
  escalatedAt: null,
  escalationLevel: 0,
  resolvedAt: null,
  closedAt: null,
  reopenCount: 0,
})

const effectsOf = (body: Record<string, unknown>): Effects => {
  const names = Object.keys(plain({} as CaseTimes)) as (keyof Effects)[]
  return Object.fromEntries(names.map((name) => [name, body[name]])) as unknown as Effects
}

function timesFrom(came: Date): CaseTimes {
  const at = (hours: number) => new Date(came.getTime() + hours * hour).toISOString()
  return { came: at(0), moved: at(1), due: at(72), later: at(73), soon: at(24) }
}

/** Values of a case that is created with this status. */
const createdIn: Record<Status, (times: CaseTimes) => Partial<Effects>> = {
  NEW: () => ({}),
  OPEN: () => ({}),
  PENDING_CUSTOMER: () => ({}),
  ESCALATED: ({ came, soon }) => ({ priority: 'HIGH', slaDueAt: soon, escalatedAt: came, escalationLevel: 1 }),
  RESOLVED: ({ came }) => ({ resolvedAt: came }),
  CLOSED: ({ came }) => ({ resolvedAt: came, closedAt: came }),
}

const escalated = { priority: 'HIGH', escalationLevel: 1 }
const wasEscalated = (times: CaseTimes) => createdIn.ESCALATED(times)

const moves: [from: Status, to: Status, effects: (times: CaseTimes) => Partial<Effects>][] = [
  ['NEW', 'OPEN', () => ({})],
  ['NEW', 'PENDING_CUSTOMER', () => ({})],
  ['NEW', 'ESCALATED', ({ moved }) => ({ ...escalated, escalatedAt: moved })],
  ['NEW', 'RESOLVED', ({ moved }) => ({ resolvedAt: moved })],
  ['NEW', 'CLOSED', ({ moved }) => ({ resolvedAt: moved, closedAt: moved })],
  ['OPEN', 'NEW', () => ({})],
  ['OPEN', 'PENDING_CUSTOMER', () => ({})],
  ['OPEN', 'ESCALATED', ({ moved }) => ({ ...escalated, escalatedAt: moved })],
  ['OPEN', 'RESOLVED', ({ moved }) => ({ resolvedAt: moved })],
  ['OPEN', 'CLOSED', ({ moved }) => ({ resolvedAt: moved, closedAt: moved })],
  ['PENDING_CUSTOMER', 'NEW', ({ later }) => ({ slaDueAt: later })],
  ['PENDING_CUSTOMER', 'OPEN', ({ later }) => ({ slaDueAt: later })],
  ['PENDING_CUSTOMER', 'ESCALATED', ({ moved, later }) => ({ ...escalated, escalatedAt: moved, slaDueAt: later })],
  ['PENDING_CUSTOMER', 'RESOLVED', ({ moved, later }) => ({ resolvedAt: moved, slaDueAt: later })],
  ['PENDING_CUSTOMER', 'CLOSED', ({ moved, later }) => ({ resolvedAt: moved, closedAt: moved, slaDueAt: later })],
  ['ESCALATED', 'NEW', wasEscalated],
  ['ESCALATED', 'OPEN', wasEscalated],
  ['ESCALATED', 'PENDING_CUSTOMER', wasEscalated],
  ['ESCALATED', 'RESOLVED', (times) => ({ ...wasEscalated(times), resolvedAt: times.moved })],
  ['ESCALATED', 'CLOSED', (times) => ({ ...wasEscalated(times), resolvedAt: times.moved, closedAt: times.moved })],
  ['RESOLVED', 'NEW', () => ({ reopenCount: 1 })],
  ['RESOLVED', 'OPEN', () => ({ reopenCount: 1 })],
  ['RESOLVED', 'PENDING_CUSTOMER', () => ({ reopenCount: 1 })],
  ['RESOLVED', 'ESCALATED', ({ moved }) => ({ ...escalated, escalatedAt: moved, reopenCount: 1 })],
  ['RESOLVED', 'CLOSED', ({ came, moved }) => ({ resolvedAt: came, closedAt: moved })],
  ['CLOSED', 'NEW', () => ({ reopenCount: 1 })],
  ['CLOSED', 'OPEN', () => ({ reopenCount: 1 })],
  ['CLOSED', 'PENDING_CUSTOMER', () => ({ reopenCount: 1 })],
  ['CLOSED', 'ESCALATED', ({ moved }) => ({ ...escalated, escalatedAt: moved, reopenCount: 1 })],
  ['CLOSED', 'RESOLVED', ({ moved }) => ({ resolvedAt: moved })],
]

const settings = (value: object) =>
  platform.query('update identity.organization set settings = $2 where id = $1', [
    member.organizationId,
    JSON.stringify(value),
  ])

describe('caseCreate', () => {
  it.each(statuses)('gives a case created as %s the side effects of that status', async (status) => {
    const times = timesFrom(platform.now)
    const body = await supportCase(member, { status })
    expect(body.status).toBe(status)
    expect(effectsOf(body)).toEqual({ ...plain(times), ...createdIn[status](times) })
    expect(await platform.eventTypesOf(body.id)).toEqual(['case.created'])
  })

  it('sets the due times of a case created as ESCALATED by its raised priority', async () => {
    const { priority, slaDueAt, firstResponseDueAt } = await supportCase(member, {
      status: 'ESCALATED',
      priority: 'LOW',
    })
    const after = (hours: number) => new Date(platform.now.getTime() + hours * hour).toISOString()
    expect([priority, firstResponseDueAt, slaDueAt]).toEqual(['HIGH', after(4), after(24)])
  })
})

describe('caseSetStatus', () => {
  it.each(moves)('changes %s to %s with its side effects, like PATCH', async (from, to, effects) => {
    const times = timesFrom(platform.now)
    const verb = await supportCase(member, { status: from })
    const patch = await supportCase(member, { status: from })
    platform.advanceClock(hour)
    const byVerb = await member.rest.caseSetStatus!({ id: verb.id, body: { status: to } })
    const byPatch = await member.rest.caseUpdate!({ id: patch.id, body: { status: to } })

    expect([byVerb.status, byPatch.status]).toEqual([200, 200])
    for (const { body, headers } of [byVerb, byPatch]) {
      expect([body.status, body.version, headers.get('etag')]).toEqual([to, 2, '"2"'])
      expect(effectsOf(body)).toEqual({ ...plain(times), ...effects(times) })
      const announced = [
        'case.created',
        'case.updated',
        'case.status_changed',
        ...(to === 'ESCALATED' ? ['case.escalated'] : []),
      ]
      expect(await platform.eventTypesOf(body.id)).toEqual(announced)
      expect((await platform.eventsOf(body.id))[2]!.data).toMatchObject({
        previousStatus: from,
        status: to,
        record: { status: to },
      })
      expect((await member.rest.case!({ id: body.id })).body).toEqual(body)
    }
  })

  it.each(statuses)('accepts the same status %s without an event', async (status) => {
    const { id } = await supportCase(member, { status })
    platform.advanceClock(hour)
    for (const call of [member.rest.caseSetStatus!, member.rest.caseUpdate!]) {
      const answer = await unchanged(platform, () => call({ id, body: { status } }))
      expect([answer.status, answer.body.version]).toEqual([200, 1])
    }
  })

  it('moves the due time by every pause, and by nothing else', async () => {
    const { id, slaDueAt } = await supportCase(member, { slaDueAt: '2027-03-01T12:00:00+01:00' })
    expect(slaDueAt).toBe('2027-03-01T11:00:00.000Z')
    const move = async (status: Status, after: number) => {
      platform.advanceClock(after)
      return (await member.rest.caseSetStatus!({ id, body: { status } })).body.slaDueAt
    }
    expect(await move('PENDING_CUSTOMER', hour)).toBe('2027-03-01T11:00:00.000Z')
    expect(await move('OPEN', 1)).toBe('2027-03-01T11:00:00.001Z')
    expect(await move('ESCALATED', 5 * hour)).toBe('2027-03-01T11:00:00.001Z')
    expect(await move('PENDING_CUSTOMER', hour)).toBe('2027-03-01T11:00:00.001Z')
    expect(await move('PENDING_CUSTOMER', hour)).toBe('2027-03-01T11:00:00.001Z')
    expect(await move('RESOLVED', 24 * hour)).toBe('2027-03-02T12:00:00.001Z')
    expect(await move('OPEN', 24 * hour)).toBe('2027-03-02T12:00:00.001Z')
  })

  it('moves no due time beyond the largest timestamp', async () => {
    const slaDueAt = '9999-12-31T23:59:59.999Z'
    const { id } = await supportCase(member, { slaDueAt, status: 'PENDING_CUSTOMER' })
    platform.advanceClock(hour)
    const { status, body } = await member.rest.caseSetStatus!({ id, body: { status: 'OPEN' } })
    expect([status, body.slaDueAt]).toEqual([200, slaDueAt])
  })

  it('sets no due time for a case without one', async () => {
    const { id } = await supportCase(member, { status: 'PENDING_CUSTOMER' })
    await member.rest.caseUpdate!({ id, body: { slaDueAt: null } })
    platform.advanceClock(hour)
    expect((await member.rest.caseSetStatus!({ id, body: { status: 'OPEN' } })).body.slaDueAt).toBe(null)
  })

  it('counts every escalation and every reopening', async () => {
    const { id } = await supportCase(member)
    for (const status of ['ESCALATED', 'OPEN', 'ESCALATED', 'RESOLVED', 'OPEN', 'CLOSED', 'ESCALATED']) {
      await member.rest.caseSetStatus!({ id, body: { status } })
    }
    expect((await member.rest.case!({ id })).body).toMatchObject({
      escalationLevel: 3,
      reopenCount: 2,
      version: 8,
      resolvedAt: null,
      closedAt: null,
    })
  })

  it.each([
    ['LOW', 'HIGH'],
    ['MEDIUM', 'HIGH'],
    ['HIGH', 'HIGH'],
    ['URGENT', 'URGENT'],
  ])('raises priority %s to %s when it escalates', async (before, after) => {
    const { id } = await supportCase(member, { priority: before })
    expect((await member.rest.caseSetStatus!({ id, body: { status: 'ESCALATED' } })).body.priority).toBe(after)
    expect((await supportCase(member, { priority: before, status: 'ESCALATED' })).priority).toBe(after)
  })

  it('keeps a lowered priority of an escalated case when the same status is set', async () => {
    const { id } = await supportCase(member, { status: 'ESCALATED' })
    await member.rest.caseUpdate!({ id, body: { priority: 'LOW' } })
    expect((await member.rest.caseSetStatus!({ id, body: { status: 'ESCALATED' } })).body.priority).toBe('LOW')
  })

  it.each([
    ['nothing', {}],
    ['a status that does not exist', { status: 'DONE' }],
    ['null', { status: null }],
    ['another field', { status: 'OPEN', priority: 'LOW' }],
  ])('refuses %s with 400', async (_, body) => {
    const { id } = await supportCase(member)
    expect((await unchanged(platform, () => member.rest.caseSetStatus!({ id, body }))).status).toBe(400)
  })
})

describe('caseUpdate', () => {
  it('keeps the priority and the due time that the same change sets', async () => {
    const { id } = await supportCase(member, { status: 'PENDING_CUSTOMER' })
    platform.advanceClock(hour)
    const slaDueAt = '2027-09-01T00:00:00.000Z'
    expect(
      (await member.rest.caseUpdate!({ id, body: { status: 'OPEN', priority: 'URGENT', slaDueAt } })).body,
    ).toMatchObject({ status: 'OPEN', priority: 'URGENT', slaDueAt })
    expect((await member.rest.caseUpdate!({ id, body: { status: 'ESCALATED', priority: 'LOW' } })).body.priority).toBe(
      'HIGH',
    )
  })

  it('refuses a case without a status with 400', async () => {
    const { id } = await supportCase(member)
    expect((await unchanged(platform, () => member.rest.caseUpdate!({ id, body: { status: null } }))).status).toBe(400)
  })
})

describe('values that follow from the status', () => {
  it.each([
    ['caseUpdate', 'mutation($id: ID!) { caseUpdate(id: $id, input: { status: ESCALATED, priority: null }) { id } }'],
    ['caseCreate', 'mutation { caseCreate(input: { subject: "X", status: ESCALATED, priority: null }) { id } }'],
  ])('are refused by %s if the input sets them to null', async (_, mutation) => {
    const { id } = await supportCase(member)
    const { body } = await unchanged(platform, () => member.graphql(mutation, { id }))
    expect(body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'priority', code: 'REQUIRED' }],
    })
  })
})

describe('caseSetStatus with enforced transitions', () => {
  const allowed: Record<Status, Status[]> = {
    NEW: ['OPEN', 'PENDING_CUSTOMER', 'ESCALATED', 'RESOLVED', 'CLOSED'],
    OPEN: ['PENDING_CUSTOMER', 'ESCALATED', 'RESOLVED', 'CLOSED'],
    PENDING_CUSTOMER: ['OPEN', 'ESCALATED', 'RESOLVED', 'CLOSED'],
    ESCALATED: ['OPEN', 'PENDING_CUSTOMER', 'RESOLVED', 'CLOSED'],
    RESOLVED: ['OPEN', 'ESCALATED', 'CLOSED'],
    CLOSED: ['OPEN'],
  }

  beforeAll(() => settings({ enforceCaseTransitions: true }))
  afterAll(() => settings({}))

  it.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))(
    'allows or refuses %s to %s',
    async (from, to) => {
      const { id } = await supportCase(member, { status: from })
      if (from === to || allowed[from].includes(to)) {
        expect((await member.rest.caseSetStatus!({ id, body: { status: to } })).body.status).toBe(to)
        return
      }
      for (const call of [member.rest.caseSetStatus!, member.rest.caseUpdate!]) {
        const { status, body } = await unchanged(platform, () => call({ id, body: { status: to } }))
        expect([status, body.code, body.allowed]).toEqual([409, 'INVALID_STATE', allowed[from]])
      }
    },
  )
})

describe('caseCreate with business hours', () => {
  const businessHours = { timezone: 'Europe/Berlin', days: { MON: [['09:00', '17:00']], TUE: [['09:00', '17:00']] } }

  beforeAll(() => settings({ businessHours }))
  afterAll(() => settings({}))

  it('counts due times and pauses in working time', async () => {
    platform.now = new Date('2027-03-15T14:00:00.000Z')
    const { id, slaDueAt, firstResponseDueAt } = await supportCase(member, {
      priority: 'URGENT',
      status: 'PENDING_CUSTOMER',
    })
    expect([firstResponseDueAt, slaDueAt]).toEqual(['2027-03-15T15:00:00.000Z', '2027-03-16T10:00:00.000Z'])
    platform.advanceClock(18 * hour)
    expect((await member.rest.caseSetStatus!({ id, body: { status: 'OPEN' } })).body.slaDueAt).toBe(
      '2027-03-16T12:00:00.000Z',
    )
  })
})

describe('caseCreate with very short business hours', () => {
  afterAll(() => settings({}))

  const dueDates = async () => {
    const cases = []
    for (const priority of ['URGENT', 'HIGH', 'MEDIUM', 'LOW']) cases.push(await supportCase(member, { priority }))
    return cases.map(({ slaDueAt }) => slaDueAt as string)
  }

  it('is due on the next day with the hour, if daylight saving time skips it tomorrow', async () => {
    await settings({ businessHours: { timezone: 'Europe/Oslo', days: { SUN: [['02:30', '03:00']] } } })
    platform.now = new Date('2027-03-27T12:00:00.000Z')
    // Half an hour a week: eight Sundays for four hours, from 2027-04-04 on.
    expect((await dueDates())[0]).toBe('2027-05-23T01:00:00.000Z')
  })

  it('is never due later with a higher priority, and due within ten years', async () => {
    await settings({ businessHours: { timezone: 'UTC', days: { MON: [['09:00', '09:01']] } } })
    platform.now = new Date('2027-02-01T08:00:00.000Z')
    expect(await dueDates()).toEqual([
      '2031-09-01T09:01:00.000Z',
      '2037-02-01T08:00:00.000Z',
      '2037-02-01T08:00:00.000Z',
      '2037-02-01T08:00:00.000Z',
    ])
  })

  it('counts every hour if no weekday has business hours', async () => {
    await settings({ businessHours: { timezone: 'UTC', days: { MON: [] } } })
    platform.now = new Date('2027-02-01T08:00:00.000Z')
    expect((await dueDates())[0]).toBe('2027-02-01T12:00:00.000Z')
  })
})
