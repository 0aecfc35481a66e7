import { expect, it } from 'vitest'
import { migrations, subgraphs } from '../../subgraphs/all.ts'
import { pendingDeliveries } from '../../subgraphs/events/delivery/pending-deliveries.migrations.ts'
import { migrate } from '../../subgraphs/kernel/database/migrate.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { freshDatabase } from '../fresh-database.ts'

const organizationId = newId()
const webhookId = newId()
const [waiting, ownBody, tried, lost] = [newId(), newId(), newId(), newId()]
const all = [waiting, ownBody, tried, lost]
const queuedAt = new Date().toISOString()

it('deliveries of an earlier release are shown as before, and the queue has what is sent', async () => {
  const { url, database, drop } = await freshDatabase()
  await database.query(`drop schema kernel, ${subgraphs.map(({ name }) => name).join(', ')} cascade`)
  const earlier = migrations.slice(0, migrations.indexOf(pendingDeliveries))
  await migrate(database, url, earlier)
  // The body of each is its id, of `ownBody` in its row, of all others in the table of bodies.
  await database.query(
    `insert into events.delivery (organization_id, id, webhook_id, first_id, event_id, event_type, event_version, attempt, status, request_body,
       body_id, is_replay, is_test, next_attempt_at, error, created_at)
     select $1, id, $2, id, id, 'account.created', 1, 1, case when id = $5 then 'RETRY_SCHEDULED' else 'PENDING' end,
       case when id = $4 then id::text end, case when id <> $4 then id end, false, false, case when id = $5 then now() end,
       case when id = $5 then 'No answer.' end, $6
     from unnest($3::uuid[]) id`,
    [organizationId, webhookId, all, ownBody, tried, queuedAt],
  )
  await database.query(
    `insert into events.delivery_body (organization_id, id, body) select $1, id, id::text from unnest($2::uuid[]) id where id <> $3`,
    [organizationId, all, ownBody],
  )
  await database.query(
    `insert into events.delivery_queue (organization_id, id, webhook_id, last_attempt_id, attempts_max, retry_delay_seconds, is_replay, is_test,
       attempts, is_due, lease_token, created_at)
     select $1, id, $2, id, 4, 60, false, false, case when id in ($4, $5) then 1 else 0 end, id not in ($4, $5), case when id = $5 then id end, $6
     from unnest($3::uuid[]) id`,
    [organizationId, webhookId, all, tried, lost, queuedAt],
  )
  const shown = () =>
    database.query(
      `select id, status, event_id, event_type, request_body, error, next_attempt_at, created_at from events.delivery_shown
       where organization_id = $1 order by id`,
      [organizationId],
    )
  const before = await shown()
  await migrate(database, url, migrations)
  const after = await shown()
  const queued = await database.query(
    `select q.id, q.event_id, q.event_type, b.body, q.body_bytes, q.logged_id, q.attempts_failed from events.delivery_queue q
     join events.delivery_body b on b.organization_id = q.organization_id and b.id = q.body_id order by q.id`,
  )
  const logged = await database.query('select id, status from events.delivery')
  await drop()
  expect(before).toHaveLength(4)
  expect(after).toEqual(before)
  expect(queued).toEqual(
    all.map((id) => ({
      id,
      event_id: id,
      event_type: 'account.created',
      body: id,
      body_bytes: 36,
      logged_id: id === tried ? id : null,
      attempts_failed: id === tried ? 1 : 0,
    })),
  )
  expect(logged).toEqual([{ id: tried, status: 'RETRY_SCHEDULED' }])
})
