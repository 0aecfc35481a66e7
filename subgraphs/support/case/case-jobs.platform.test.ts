import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectValidEvents } from '../../../test/expectations.ts'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { newId } from '../../kernel/ids.ts'
import { handSetClock, servicesOf } from '../../kernel/jobs/jobs.fixture.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { createCase, setCaseStatus } from './case.actions.ts'
import { caseAutoClose } from './case-auto-close.job.ts'
import { caseSlaBreach } from './case-sla-breach.job.ts'
import type { Case } from './case.ts'

let fresh: FreshDatabase
let services: Services
const clock = handSetClock('2026-03-01T12:00:00Z')

beforeAll(async () => {
  fresh = await freshDatabase()
  services = servicesOf(fresh.database, clock)
})
afterAll(() => fresh.drop())
afterEach(() => expectValidEvents(fresh.database))
beforeEach(async () => {
  clock.set('2026-03-01T12:00:00Z')
  await fresh.database.query('truncate support."case", kernel.event')
})

const organizations = [newId(), newId()] as const
const context = (organization = organizations[0]) => systemContext(services, organization)
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
  fresh.database.query<{ type: string; actorId: string | null; data: Record<string, unknown> }>(
    `select type, actor_id as "actorId", data from kernel.event where record_id = $1 and type <> 'case.created' order by position`,
    [id],
  )
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type)

describe('case.autoClose', () => {
  it('closes what was resolved seven days ago, in every organization, and announces it once', async () => {
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

  it('leaves deleted and reopened cases', async () => {
    const { id: deleted } = await aCase({ status: 'RESOLVED' })
    await fresh.database.query('update support."case" set deleted_at = now() where id = $1', [deleted])
    const { id: reopened } = await aCase({ status: 'RESOLVED' })
    await setCaseStatus(context(), reopened, 'OPEN')
    clock.set('2026-03-30T12:00:00Z')
    await caseAutoClose.run(services)
    expect([(await stored(deleted)).status, (await stored(reopened)).status]).toEqual(['RESOLVED', 'OPEN'])
    expect(await typesOf(deleted)).toEqual([])
  })

  it('closes more than a batch, also of the same moment', async () => {
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
  it('announces a missed due date once, and nothing else', async () => {
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

  it.each(['PENDING_CUSTOMER', 'RESOLVED', 'CLOSED'] as const)('leaves a case that is %s', async (status) => {
    const { id } = await aCase({ priority: 'URGENT', status })
    clock.set('2026-03-09T12:00:00Z')
    await caseSlaBreach.run(services)
    expect([(await stored(id)).slaBreachedAt, await typesOf(id)]).toEqual([null, []])
  })

  it('counts the time that the customer was asked as not passed', async () => {
    const { id } = await aCase({ priority: 'URGENT', status: 'PENDING_CUSTOMER' })
    clock.set('2026-03-05T12:00:00Z')
    await setCaseStatus(context(), id, 'OPEN')
    await caseSlaBreach.run(services)
    expect((await stored(id)).slaBreachedAt).toBe(null)
    clock.set('2026-03-05T16:00:00Z')
    await caseSlaBreach.run(services)
    expect((await stored(id)).slaBreachedAt).toBe('2026-03-05T16:00:00.000Z')
  })
})
