import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectValidEvents } from '../../../test/expectations.ts'
import { storedEvents } from '../../../test/stored-events.ts'
import { createOrganization } from '../../identity/public.ts'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { manualClock, servicesOf } from '../../kernel/jobs/jobs.fixture.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { taskOverdue } from './task-overdue.job.ts'
import { taskReminder } from './task-reminder.job.ts'
import { task } from './task.record.ts'
import type { Task } from './task.ts'

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
  await fresh.database.query('truncate crm.task, kernel.event')
})

const organizations: string[] = []
const tasks = recordsOf(task)
const context = (organization = organizations[0]!) => systemContext(services, organization)
const aTask = (values: Partial<Task>, organization?: string) =>
  tasks.create(context(organization), { subject: 'Call the yard', ...values })

const eventsOf = (id: string) =>
  storedEvents<{ type: string; actorId: string | null; data: Record<string, unknown> }>(
    fresh.database.query.bind(fresh.database),
    `select type, actor_id as "actorId", data from kernel.event where record_id = $1 and type <> 'task.created' order by id`,
    [id],
  )
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type)

const isOverdue = async (id: string) => {
  const [row] = await fresh.database.query<{ isOverdue: boolean }>(
    'select is_overdue as "isOverdue" from crm.task where id = $1',
    [id],
  )
  return row!.isOverdue
}

describe('task.overdue', () => {
  it('marks tasks in every organization when their due date passes, with one event', async () => {
    const due = await Promise.all(
      organizations.map((organization) => aTask({ dueDate: '2026-03-01T13:00:00.000Z' }, organization)),
    )
    clock.set('2026-03-01T12:59:59.999Z')
    await taskOverdue.run(services)
    expect(await isOverdue(due[0]!.id)).toBe(false)
    clock.set('2026-03-01T13:00:00Z')
    await taskOverdue.run(services)
    await taskOverdue.run(services)
    for (const { id } of due) {
      expect(await isOverdue(id)).toBe(true)
      expect(await eventsOf(id)).toMatchObject([
        { type: 'task.updated', actorId: null, data: { changedFields: ['isOverdue'] } },
        { type: 'task.overdue', actorId: null, data: { dueDate: '2026-03-01T13:00:00.000Z' } },
      ])
    }
  })

  it.each(['COMPLETED', 'CANCELLED'] as const)('does not mark a task that is %s', async (status) => {
    const { id } = await aTask({ dueDate: '2026-03-01T13:00:00.000Z', status })
    clock.set('2026-03-09T13:00:00Z')
    await taskOverdue.run(services)
    expect([await isOverdue(id), await typesOf(id)]).toEqual([false, []])
  })

  it('marks a task again after its due date was moved to a time that passes too', async () => {
    const { id } = await aTask({ dueDate: '2026-03-01T13:00:00.000Z' })
    clock.set('2026-03-01T13:00:00Z')
    await taskOverdue.run(services)
    await tasks.update(context(), id, { dueDate: '2026-03-02T13:00:00.000Z' })
    expect(await isOverdue(id)).toBe(false)
    clock.set('2026-03-02T13:00:00Z')
    await taskOverdue.run(services)
    expect((await typesOf(id)).filter((type) => type === 'task.overdue')).toHaveLength(2)
  })
})

describe('task.reminder', () => {
  const runAt = async (time: string) => {
    clock.set(time)
    await taskReminder.run(services)
  }
  const reminders = async (id: string) =>
    (await eventsOf(id)).filter(({ type }) => type === 'task.reminder').map(({ data }) => data['reminderAt'])

  it('emits one event when the time comes, and no other event', async () => {
    const { id } = await aTask({ reminderAt: '2026-03-01T13:00:00.000Z' })
    await runAt('2026-03-01T12:59:59.999Z')
    expect(await typesOf(id)).toEqual([])
    await runAt('2026-03-01T13:00:00Z')
    await runAt('2026-03-02T13:00:00Z')
    expect(await eventsOf(id)).toMatchObject([
      { type: 'task.reminder', actorId: null, data: { reminderAt: '2026-03-01T13:00:00.000Z', changedFields: [] } },
    ])
  })

  it('emits another event for another time in the future, and none for one in the past', async () => {
    const { id } = await aTask({ reminderAt: '2026-03-01T13:00:00.000Z' })
    await runAt('2026-03-01T13:00:00Z')
    await tasks.update(context(), id, { reminderAt: '2026-03-01T12:30:00.000Z' })
    await runAt('2026-03-01T14:00:00Z')
    await tasks.update(context(), id, { reminderAt: '2026-03-01T15:00:00.000Z' })
    await runAt('2026-03-01T15:00:00Z')
    expect(await reminders(id)).toEqual(['2026-03-01T13:00:00.000Z', '2026-03-01T15:00:00.000Z'])
  })

  it('emits no event for a task that is done or deleted', async () => {
    const { id } = await aTask({ reminderAt: '2026-03-01T13:00:00.000Z' })
    const { id: deleted } = await aTask({ reminderAt: '2026-03-01T13:00:00.000Z' })
    await tasks.update(context(), id, { status: 'COMPLETED' })
    await tasks.remove(context(), deleted)
    await runAt('2026-03-01T13:00:00Z')
    expect([await reminders(id), await reminders(deleted)]).toEqual([[], []])
  })

  it('emits each event once with two workers, also after a worker that failed in the middle', async () => {
    const created = await Promise.all(
      Array.from({ length: 12 }, () => aTask({ reminderAt: '2026-03-01T13:00:00.000Z' })),
    )
    const last = created
      .map(({ id }) => id)
      .toSorted()
      .at(-1)!
    await fresh.database.query(
      "create function refused() returns trigger language plpgsql as $$ begin raise 'ended'; end $$",
    )
    await fresh.database.query(
      `create trigger refused before update on crm.task for each row when (new.id = '${last}') execute function refused()`,
    )
    clock.set('2026-03-01T13:00:00Z')
    await taskReminder.run(services).catch(() => undefined)
    expect(await reminders(last)).toEqual([])
    await fresh.database.query('drop function refused cascade')

    await Promise.all([taskReminder.run(services), taskReminder.run(services)])
    for (const { id } of created) expect(await reminders(id)).toEqual(['2026-03-01T13:00:00.000Z'])
  })
})
