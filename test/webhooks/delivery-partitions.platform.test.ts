import { beforeEach, expect, it } from 'vitest'
import { deliveryJobs } from '../../subgraphs/events/delivery/delivery.jobs.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform } from '../platform.ts'

const platform = usePlatform()
const [job] = deliveryJobs
const run = () => job!.run(platform.services)
const organizationId = newId()

beforeEach(async () => {
  platform.now = new Date('2031-01-15T12:00:00Z')
  await platform.query('delete from events.delivery')
  await platform.query('delete from events.delivery_body')
})

/** The row of an attempt that was made at this time, and of its body. */
const attemptedAt = (time: string) =>
  platform.query(
    `with body as (
       insert into events.delivery_body (organization_id, id, body)
       select $1, overlay(events.first_id_of($2::timestamptz::date)::text placing right($3, 12) from 25)::uuid, $2::timestamptz::date::text
     )
     insert into events.delivery (organization_id, id, webhook_id, first_id, event_id, event_type, event_version, attempt, status,
       is_replay, is_test, created_at)
     select $1, id, $1, id, $1, 'a.happened', 1, 1, 'SUCCEEDED', false, false, $2 from (
       select overlay(events.first_id_of($2::timestamptz::date)::text placing right($3, 12) from 25)::uuid as id
     ) n`,
    [organizationId, time, newId()],
  )
const places = async () =>
  (
    await platform.query<{ day: string; place: string }>(
      `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, tableoid::regclass::text as place from events.delivery order by 1`,
    )
  ).map(({ day, place }) => `${day} ${place.replace('events.delivery_', '')}`)
const bodyPlaces = async () =>
  (
    await platform.query<{ place: string }>(
      `select body || ' ' || replace(tableoid::regclass::text, 'events.delivery_body_', '') as place from events.delivery_body order by 1`,
    )
  ).map(({ place }) => place)
const partitionsOf = async (table: string) =>
  (
    await platform.query<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where c.relkind = 'r' and i.inhparent = ('events.' || $1)::regclass order by 1`,
      [table],
    )
  ).map(({ name }) => name.replace(`${table}_`, ''))
const partitions = () => partitionsOf('delivery')

it('has a partition for each week that is kept and the next four, and moves rows out of the default one', async () => {
  for (const day of ['2030-12-20', '2031-01-15', '2031-02-09']) await attemptedAt(`${day}T10:00:00Z`)
  expect(await places()).toEqual(['2030-12-20 other', '2031-01-15 other', '2031-02-09 other'])
  await run()
  const weeks = await partitions()
  expect(await partitionsOf('delivery_body')).toEqual(weeks)
  expect(await bodyPlaces()).toEqual(await places())
  expect(weeks).toEqual([
    '2030_12_09',
    '2030_12_16',
    '2030_12_23',
    '2030_12_30',
    '2031_01_06',
    '2031_01_13',
    '2031_01_20',
    '2031_01_27',
    '2031_02_03',
    '2031_02_10',
    'other',
  ])
  expect(await places()).toEqual(['2030-12-20 2030_12_16', '2031-01-15 2031_01_13', '2031-02-09 2031_02_03'])
  await run()
  expect(await partitions()).toEqual(weeks)
  await attemptedAt('2031-01-20T00:00:00Z')
  expect(await places()).toContain('2031-01-20 2031_01_20')
  const [page] = await platform.query<{ plan: string }>(
    `select string_agg(indexname, ',' order by indexname) as plan from pg_indexes where schemaname = 'events' and tablename = 'delivery_2031_01_20'`,
  )
  expect(page!.plan.split(',')).toHaveLength(4)
})

it('drops a week when its last row is older than 34 days, and such rows of the default partition', async () => {
  await run()
  for (const day of ['2030-11-01', '2031-01-12', '2031-01-13']) await attemptedAt(`${day}T10:00:00Z`)
  platform.now = new Date('2031-02-15T23:00:00Z')
  await run()
  expect(await places()).toEqual(['2031-01-12 2031_01_06', '2031-01-13 2031_01_13'])
  platform.now = new Date('2031-02-16T01:00:00Z')
  await run()
  expect(await places()).toEqual(['2031-01-13 2031_01_13'])
  expect(await bodyPlaces()).toEqual(['2031-01-13 2031_01_13'])
  expect((await partitions())[0]).toBe('2031_01_13')
  expect(await partitionsOf('delivery_body')).toEqual(await partitions())
})

it('gives up while a long transaction reads the log, without stopping those who write it, and does its work later', async () => {
  await run()
  const before = await partitions()
  platform.now = new Date('2031-03-15T12:00:00Z')
  await platform.inSeparateTransaction(async (sql) => {
    await sql.query('select count(*) from events.delivery')
    await expect(run()).rejects.toThrow(/lock timeout/)
    await attemptedAt('2031-03-15T10:00:00Z')
  })
  expect(await partitions()).toEqual(before)
  await run()
  expect(await places()).toEqual(['2031-03-15 2031_03_10'])
})
