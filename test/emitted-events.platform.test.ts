import { expect, it } from 'vitest'
import { newId } from '../subgraphs/kernel/ids.ts'
import { freshDatabase, type FreshDatabase } from './fresh-database.ts'

type Written = readonly [type: string, version: number, object: string, data: object]

async function write({ database }: FreshDatabase, events: readonly Written[]): Promise<void> {
  for (const [type, version, object, data] of events) {
    await database.query(
      `insert into kernel.event (organization_id, id, type, version, occurred_at, object, record_id, data)
       values ($1, $2, $3, $4, now(), $5, $2, $6)`,
      [newId(), newId(), type, version, object, JSON.stringify(data)],
    )
  }
}

it('a test whose events do not fit the catalog fails with their types and paths, and its database is dropped', async () => {
  const fresh = await freshDatabase()
  const data = { object: 'account', id: 'x', record: { id: 'x' }, previous: null, changedFields: null, actorId: null }
  await write(fresh, [
    ['account.created', 1, 'account', data],
    ['account.created', 1, 'account', { ...data, record: { id: 'x', name: 5 } }],
    ['account.created', 1, 'account', { ...data, surprise: true }],
    ['account.created', 2, 'account', data],
    ['account.vanished', 1, 'account', data],
    ['custom.machine_stopped', 1, 'custom_event', { minutes: 1 }],
  ])
  const failure = await fresh.drop().catch((error: unknown) => (error as Error).message.split('\n').slice(1).toSorted())
  expect(failure).toEqual([
    'account.created@1: data must NOT have additional properties (1 times)',
    'account.created@1: data/record/name must be string (1 times)',
    'account.created@2 has no schema (1 times)',
    'account.vanished@1 has no schema (1 times)',
    'custom.machine_stopped@1 has no schema (1 times)',
  ])
  await expect(fresh.database.query('select 1')).rejects.toThrow()
})

it('a test with valid events does not fail', async () => {
  const fresh = await freshDatabase()
  await write(fresh, [['product.created', 1, 'product', { object: 'product', id: 'x', record: { id: 'x' } }]])
  await expect(fresh.drop()).resolves.toBeUndefined()
})
