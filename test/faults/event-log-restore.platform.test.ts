import { randomUUID } from 'node:crypto'
import { expect, inject, it, onTestFinished } from 'vitest'
import { migrations } from '../../subgraphs/all.ts'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import { migrate } from '../../subgraphs/kernel/database/migrate.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { eventLogTables } from '../../subgraphs/kernel/migrations/20261122-kernel-event-log.ts'
import { databaseUrl } from '../database-url.ts'

async function aDatabase(template = 'template0'): Promise<{ url: string; name: string; database: Database }> {
  const templateUrl = inject('templateUrl')
  const name = `moved_${randomUUID().replaceAll('-', '')}`
  const admin = new Database({ url: databaseUrl(templateUrl, 'crm'), connectionsMax: 1 })
  await admin.query(`create database ${name} template ${template}`)
  const url = databaseUrl(templateUrl, name)
  const database = new Database({ url, connectionsMax: 2 })
  onTestFinished(async () => {
    if (!database.pool.ending) await database.close()
    await admin.query(`drop database ${name} with (force)`)
    await admin.close()
  })
  return { url, name, database }
}

const insert = `insert into kernel.event (organization_id, id, type, version, occurred_at, object, record_id, data)
  select $1, id, 'a.happened', 1, at, 'a', id, '{}' from unnest($2::uuid[], $3::timestamptz[]) as e(id, at)`
const logged = (database: Database, organizationId: string) =>
  database.query<{ position: number; id: string }>(
    `select l.position, e.id from kernel.event_log l join kernel.event e on e.id = l.event_id and e.occurred_at = l.occurred_at
     where l.organization_id = $1 order by l.position`,
    [organizationId],
  )
const ids = (count: number) => Array.from({ length: count }, () => newId())
const assign = (database: Database) => database.query('select kernel.assign_event_positions(1000)')

it('events that were written before the event log existed get positions in the order of their writing', async () => {
  const { url, database } = await aDatabase()
  await migrate(database, url, migrations.slice(0, migrations.indexOf(eventLogTables)))
  const [one, other] = [newId(), newId()]
  const [first, second, third, alone] = ids(4)
  const [now, earlier] = [new Date().toISOString(), new Date(Date.now() - 3_600_000).toISOString()]
  const longAgo = '2020-05-01T00:00:00.000Z'
  // The order is that of the statements that wrote the events, not of their times.
  await database.query(insert, [one, [third, first], [now, earlier]])
  await database.query(insert, [other, [alone], [now]])
  await database.query(insert, [one, [second], [longAgo]])
  await migrate(database, url, migrations)

  const before = [third, first, second].map((id, index) => ({ position: index + 1, id }))
  expect(await logged(database, one)).toEqual(before)
  expect(await logged(database, other)).toEqual([{ position: 1, id: alone }])
  const later = newId()
  await database.query(insert, [one, [later], [now]])
  await assign(database)
  expect(await logged(database, one)).toEqual([...before, { position: 4, id: later }])
})

it('a log that was copied to another database continues there, and assigns positions to events without one', async () => {
  const { name, database } = await aDatabase('template_platform')
  const organization = newId()
  const [first, second, third] = ids(3)
  const now = new Date().toISOString()
  await database.query(insert, [organization, [first], [now]])
  await assign(database)
  await database.query(insert, [organization, [second], [now]])
  await database.close()
  const copy = await aDatabase(name)
  await copy.database.query(insert, [organization, [third], [now]])
  await assign(copy.database)
  expect(await logged(copy.database, organization)).toEqual([
    { position: 1, id: first },
    { position: 2, id: second },
    { position: 3, id: third },
  ])
})
