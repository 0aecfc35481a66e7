import { pino } from 'pino'
import { register } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { Database } from '../database/database.ts'
import { newId } from '../ids.ts'
import { housekeeping } from '../jobs/housekeeping.jobs.ts'
import { manualClock, servicesOf } from '../jobs/jobs.fixture.ts'
import { Values } from '../record/predicate.ts'
import { systemContext, type Services } from '../request.ts'
import { EventLog } from './event-log.ts'
import { eventInsert } from './event.ts'

let fresh: FreshDatabase
let services: Services
let log: EventLog
const clock = manualClock('2031-01-31T23:59:00Z')
const errors: { rows: number; missing: string[] }[] = []
const organization = newId()

beforeEach(async () => {
  fresh = await freshDatabase({ hasOwnEvents: true })
  errors.length = 0
  clock.set('2031-01-31T23:59:00Z')
  const noting = pino(
    { level: 'error' },
    { write: (line: string) => void errors.push(JSON.parse(line) as (typeof errors)[0]) },
  )
  services = { ...servicesOf(fresh.database, clock), log: noting }
  log = new EventLog({ tenants: services.tenants, databaseUrl: fresh.url, log: services.log })
})
afterEach(() => fresh.drop())

const run = () => housekeeping.find(({ name }) => name === 'events.keepPartitions')!.run(services)

async function write(time: string): Promise<void> {
  clock.set(time)
  const values = new Values()
  const event = { type: 'a.happened', version: 1, object: 'a', recordId: newId(), data: {} }
  await fresh.database.query(eventInsert(systemContext(services, organization), values, [event]), values.list)
  await fresh.database.query('select kernel.assign_event_positions(1000)')
}

async function places(table: string): Promise<string[]> {
  const rows = await fresh.database.query<{ place: string }>(
    `select tableoid::regclass::text as place from kernel.${table} order by occurred_at`,
  )
  return rows.map(({ place }) => place.replace('kernel.', ''))
}
const partitions = async (pattern: string) =>
  (
    await fresh.database.query<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where c.relkind = 'r' and c.relname ~ $1 order by 1`,
      [pattern],
    )
  ).map(({ name }) => name)
const read = async () =>
  (await log.read(organization, { after: 0, limit: 100 })).map(({ position, occurredAt }) => [position, occurredAt])
const metric = async (name: string) => (await register.getSingleMetric(name)!.get()).values[0]!.value

describe('events.keepPartitions', () => {
  it('creates the partitions of the coming months, and changes nothing when it runs again', async () => {
    await run()
    await run()
    expect(await partitions('^event_\\d{4}_\\d\\d$')).toEqual([
      'event_2031_01',
      'event_2031_02',
      'event_2031_03',
      'event_2031_04',
    ])
    expect(await partitions('^event_log_\\d{4}_\\d\\d$')).toEqual([
      'event_log_2031_01',
      'event_log_2031_02',
      'event_log_2031_03',
      'event_log_2031_04',
    ])
    expect(errors).toEqual([])
  })

  it('moves rows out of the default partition into their months, and the log stays complete', async () => {
    await write('2031-01-15T12:00:00.000Z')
    await write('2031-02-10T12:00:00.000Z')
    const before = await read()
    expect([await places('event'), await places('event_log')]).toEqual([
      ['event_other', 'event_other'],
      ['event_log_other', 'event_log_other'],
    ])
    await run()
    expect([await places('event'), await places('event_log')]).toEqual([
      ['event_2031_01', 'event_2031_02'],
      ['event_log_2031_01', 'event_log_2031_02'],
    ])
    await write('2031-02-11T12:00:00.000Z')
    expect(await read()).toEqual([...before, [3, '2031-02-11T12:00:00.000Z']])
    expect((await places('event')).at(-1)).toBe('event_2031_02')
    expect(errors).toEqual([])
  })

  it('drops a month when its last event is older than 30 days, and positions continue', async () => {
    await run()
    await write('2031-01-31T23:59:59.999Z')
    await write('2031-02-01T00:00:00.000Z')
    clock.set('2031-03-02T23:59:59.999Z')
    await run()
    expect(await read()).toEqual([
      [1, '2031-01-31T23:59:59.999Z'],
      [2, '2031-02-01T00:00:00.000Z'],
    ])
    clock.set('2031-03-03T00:00:00.000Z')
    await run()
    expect(await read()).toEqual([[2, '2031-02-01T00:00:00.000Z']])
    expect((await partitions('_2031_')).filter((name) => name.endsWith('01'))).toEqual([])
    clock.set('2031-08-01T00:00:00.000Z')
    await run()
    expect([await read(), await log.latest(organization)]).toEqual([[], 2])
    await write('2031-08-01T00:00:01.000Z')
    expect(await read()).toEqual([[3, '2031-08-01T00:00:01.000Z']])
  })

  it('keeps events for as many days as EVENT_RETENTION_DAYS says', async () => {
    await run()
    await write('2031-01-31T23:59:59.999Z')
    services = { ...services, settings: { ...services.settings, eventRetentionDays: 90 } }
    clock.set('2031-05-01T23:59:59.999Z')
    await run()
    expect(await read()).toEqual([[1, '2031-01-31T23:59:59.999Z']])
    clock.set('2031-05-02T00:00:00.000Z')
    await run()
    expect(await read()).toEqual([])
  })

  it('deletes rows older than the retention from the default partition too', async () => {
    await write('2030-06-01T00:00:00.000Z')
    clock.set('2031-01-31T23:59:00Z')
    await run()
    expect([await read(), await places('event'), await places('event_log')]).toEqual([[], [], []])
    expect(errors).toEqual([])
  })

  it('reports rows in the default partition that belong to no month that it creates', async () => {
    await write('2032-06-01T00:00:00.000Z')
    clock.set('2031-01-31T23:59:00Z')
    await run()
    expect(errors).toMatchObject([{ rows: 2, missing: [] }])
    expect([await metric('crm_event_default_partition_rows'), await metric('crm_event_partitions_missing')]).toEqual([
      2, 0,
    ])
    clock.set('2032-05-01T00:00:00Z')
    await run()
    expect(errors).toHaveLength(1)
    expect(await metric('crm_event_default_partition_rows')).toBe(0)
  })

  it('does not report rows older than the retention, which the next run deletes', async () => {
    await run()
    await write('2030-06-01T00:00:00.000Z')
    clock.set('2031-01-31T23:59:00Z')
    const reader = new Database({ url: fresh.url, connectionsMax: 1 })
    // As if the rows had been written after this run had deleted what it found.
    await reader.transaction(async (sql) => {
      await sql.query('lock table kernel.event_other in share mode')
      await expect(run()).rejects.toThrow('lock timeout')
    })
    await reader.close()
    expect([errors, await metric('crm_event_default_partition_rows')]).toEqual([[], 0])
    await run()
    expect(await places('event')).toEqual([])
  })

  it('reports missing partitions when it cannot lock the table within the lock timeout', async () => {
    const reader = new Database({ url: fresh.url, connectionsMax: 1 })
    await reader.transaction(async (sql) => {
      await sql.query('lock table kernel.event_other in access share mode')
      await expect(run()).rejects.toThrow('lock timeout')
    })
    await reader.close()
    expect(errors).toMatchObject([
      { rows: 0, missing: ['event_2031_01', 'event_2031_02', 'event_log_2031_01', 'event_log_2031_02'] },
    ])
    expect(await metric('crm_event_partitions_missing')).toBe(4)
    await run()
    expect(await metric('crm_event_partitions_missing')).toBe(0)
  })
})
