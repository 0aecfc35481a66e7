import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectValidEvents } from '../../../test/expectations.ts'
import { storedEvents } from '../../../test/stored-events.ts'
import { createOrganization } from '../../identity/public.ts'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { manualClock, servicesOf } from '../../kernel/jobs/jobs.fixture.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { createCase, setCaseStatus, updateCase } from './case.actions.ts'
import { caseAutoClose } from './case-auto-close.job.ts'
import { caseSlaBreach } from './case-sla-breach.job.ts'
import type { Case } from './case.ts'

let fresh: FreshDatabase
let services: Services
const clock = manualClock('2026-03-01T12:00:00Z')

beforeAll(async () => {
  fresh = await freshDatabase()
  services = servicesOf(fresh.database, clock)
  for (const name of ['One', 'Other']) organizations.push((await createOrganization(services, { name })).id)
})
afterAll(() => fresh.drop())
afterEach(() => expectValidEvents(fresh.database))
beforeEach(async () => {
  clock.set('2026-03-01T12:00:00Z')
  await fresh.database.query('truncate support."case", kernel.event')
})

const organizations: string[] = []
const context = (organization = organizations[0]!) => systemContext(services, organization)
const aCase = (input: Partial<Case> = {}, organization?: string) =>
  createCase(context(organization), { subject: 'Nothing prints', ...input } as Parameters<typeof createCase>[1])

async function stored(id: string) {
  const [row] = await fresh.database.query<{
    status: string
    version: number
    closedAt: string
    slaBreachedAt: string
  }>(
    'select status, version, closed_at as "closedAt", sla_breached_at as "slaBreachedAt" from support."case" where id = $1',
    [id],
  )
  return row!
}

const eventsOf = (id: string) =>
  storedEvents<{ type: string; actorId: string | null; data: Record<string, unknown> }>(
    fresh.database.query.bind(fresh.database),
    `select type, actor_id as "actorId", data from kernel.event where record_id = $1 and type <> 'case.created' order by id`,
    [id],
  )
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type)

describe('case.autoClose', () => {
  it('closes cases resolved seven days ago, in every organization, and emits the event once', async () => {
    const cases = await Promise.all(organizations.map((organization) => aCase({ status: 'RESOLVED' }, organization)))
    clock.set('2026-03-08T11:59:59.999Z')
    await caseAutoClose.run(services)
    expect((await stored(cases[0]!.id)).status).toBe('RESOLVED')

    clock.set('2026-03-08T12:00:00Z')
    await caseAutoClose.run(services)
    clock.set('2026-03-08T12:05:00Z')
    await caseAutoClose.run(services)
    for (const { id } of cases) {
      expect(await stored(id)).toMatchObject({ status: 'CLOSED', version: 2, closedAt: '2026-03-08T12:00:00.000Z' })
      const events = await eventsOf(id)
      expect(events.map(({ type }) => type)).toEqual(['case.updated', 'case.status_changed'])
      expect(events.map(({ actorId }) => actorId)).toEqual([null, null])
      expect(events[1]!.data).toMatchObject({ previousStatus: 'RESOLVED', status: 'CLOSED', actorId: null })
    }
  })

  it('does not close deleted or reopened cases', async () => {
    const { id: deleted } = await aCase({ status: 'RESOLVED' })
    await fresh.database.query('update support."case" set deleted_at = now() where id = $1', [deleted])
    const { id: reopened } = await aCase({ status: 'RESOLVED' })
    await setCaseStatus(context(), reopened, 'OPEN')
    clock.set('2026-03-30T12:00:00Z')
    await caseAutoClose.run(services)
    expect([(await stored(deleted)).status, (await stored(reopened)).status]).toEqual(['RESOLVED', 'OPEN'])
    expect(await typesOf(deleted)).toEqual([])
  })

  it('closes more cases than one batch holds, also with equal times', async () => {
    await fresh.database.transaction(async (db) => {
      for (let number = 0; number < 401; number++)
        await createCase({ ...context(), db }, { subject: 'Same', status: 'RESOLVED' } as never)
    })
    clock.set('2026-03-08T12:00:00Z')
    await caseAutoClose.run(services)
    expect(await fresh.database.query('select status, count(*)::int as n from support."case" group by status')).toEqual(
      [{ status: 'CLOSED', n: 401 }],
    )
  })
})

describe('case.slaBreach', () => {
  it('emits one event for a missed due time, and no other event', async () => {
    const { id } = await aCase({ priority: 'URGENT' })
    clock.set('2026-03-01T15:59:59.999Z')
    await caseSlaBreach.run(services)
    expect(await typesOf(id)).toEqual([])
    clock.set('2026-03-01T16:00:00Z')
    await caseSlaBreach.run(services)
    clock.set('2026-03-02T16:00:00Z')
    await caseSlaBreach.run(services)
    const events = await eventsOf(id)
    expect(events).toMatchObject([
      {
        type: 'case.sla_breached',
        actorId: null,
        data: { slaDueAt: '2026-03-01T16:00:00.000Z', changedFields: [], actorId: null },
      },
    ])
    expect((await stored(id)).slaBreachedAt).toBe('2026-03-01T16:00:00.000Z')
  })

  it.each(['PENDING_CUSTOMER', 'RESOLVED', 'CLOSED'] as const)('does not change a case that is %s', async (status) => {
    const { id } = await aCase({ priority: 'URGENT', status })
    clock.set('2026-03-09T12:00:00Z')
    await caseSlaBreach.run(services)
    expect([(await stored(id)).slaBreachedAt, await typesOf(id)]).toEqual([null, []])
  })

  it('does not count time in PENDING_CUSTOMER', async () => {
    const { id } = await aCase({ priority: 'URGENT', status: 'PENDING_CUSTOMER' })
    clock.set('2026-03-05T12:00:00Z')
    await setCaseStatus(context(), id, 'OPEN')
    await caseSlaBreach.run(services)
    expect((await stored(id)).slaBreachedAt).toBe(null)
    clock.set('2026-03-05T16:00:00Z')
    await caseSlaBreach.run(services)
    expect((await stored(id)).slaBreachedAt).toBe('2026-03-05T16:00:00.000Z')
  })

  const breaches = async (id: string) =>
    (await eventsOf(id)).filter(({ type }) => type === 'case.sla_breached').map(({ data }) => data['slaDueAt'])
  const runAt = async (time: string) => {
    clock.set(time)
    await caseSlaBreach.run(services)
  }

  it('emits another event when a new due time passes', async () => {
    const { id } = await aCase({ priority: 'URGENT' })
    await runAt('2026-03-01T16:00:00Z')
    await updateCase(context(), id, { slaDueAt: '2026-03-02T10:00:00.000Z' }, null)
    expect((await stored(id)).slaBreachedAt).toBe(null)
    await runAt('2026-03-02T09:59:00Z')
    expect(await breaches(id)).toEqual(['2026-03-01T16:00:00.000Z'])
    await runAt('2026-03-02T10:00:00Z')
    await runAt('2026-03-02T10:01:00Z')
    expect(await breaches(id)).toEqual(['2026-03-01T16:00:00.000Z', '2026-03-02T10:00:00.000Z'])
  })

  it('emits an event for a due time that was removed and set again', async () => {
    const { id } = await aCase({ priority: 'URGENT' })
    await runAt('2026-03-01T16:00:00Z')
    await updateCase(context(), id, { slaDueAt: null }, null)
    await runAt('2026-03-01T17:00:00Z')
    await updateCase(context(), id, { slaDueAt: '2026-03-01T17:00:00.000Z' }, null)
    await runAt('2026-03-01T18:00:00Z')
    expect(await breaches(id)).toEqual(['2026-03-01T16:00:00.000Z', '2026-03-01T17:00:00.000Z'])
  })

  it.each([
    ['the same due time', () => ({ slaDueAt: '2026-03-01T16:00:00.000Z' })],
    ['another due time in the past', () => ({ slaDueAt: '2026-03-01T16:30:00.000Z' })],
    ['another priority', () => ({ priority: 'LOW' as const })],
  ])('emits no second event for %s', async (_, change) => {
    const { id } = await aCase({ priority: 'URGENT' })
    await runAt('2026-03-01T17:00:00Z')
    await updateCase(context(), id, change(), null)
    await runAt('2026-03-09T12:00:00Z')
    expect(await breaches(id)).toEqual(['2026-03-01T16:00:00.000Z'])
  })

  it('emits no second event for a pause or a reopening after the breach', async () => {
    const { id } = await aCase({ priority: 'URGENT' })
    await runAt('2026-03-01T17:00:00Z')
    for (const [hour, status] of ['PENDING_CUSTOMER', 'OPEN', 'RESOLVED', 'OPEN'].entries()) {
      clock.set(`2026-03-01T${18 + hour}:00:00Z`)
      await setCaseStatus(context(), id, status as Case['status'])
    }
    await runAt('2026-03-09T12:00:00Z')
    expect(await breaches(id)).toEqual(['2026-03-01T16:00:00.000Z'])
  })

  it('emits each event once with two workers, also after a worker that failed in the middle', async () => {
    const created = await Promise.all(Array.from({ length: 12 }, () => aCase({ priority: 'URGENT' })))
    const last = created
      .map(({ id }) => id)
      .toSorted()
      .at(-1)!
    await fresh.database.query(
      "create function refused() returns trigger language plpgsql as $$ begin raise 'ended'; end $$",
    )
    await fresh.database.query(
      `create trigger refused before update on support."case" for each row when (new.id = '${last}') execute function refused()`,
    )
    clock.set('2026-03-01T16:00:00Z')
    await caseSlaBreach.run(services).catch(() => undefined)
    expect(await breaches(last)).toEqual([])
    await fresh.database.query('drop function refused cascade')

    await Promise.all([caseSlaBreach.run(services), caseSlaBreach.run(services)])
    for (const { id } of created) expect(await breaches(id)).toEqual(['2026-03-01T16:00:00.000Z'])
  })
})
