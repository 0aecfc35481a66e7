import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { copiesOf } from '../extensions/field-changes.fixture.ts'
import { lookup } from '../extensions/lookups.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { killedAfterEach } from './killed-worker.ts'

const platform = usePlatform()
const records = 3_000
let owner: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  owner = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

describe('a worker that is killed while it clears references to a deleted record', { timeout: 300_000 }, () => {
  it('clears each of them once, whenever it dies', async () => {
    await lookup(platform, owner)
    const target = await account(owner)
    const { id } = await account(owner, { customFields: { partner: target.id } })
    await copiesOf(platform, owner, id, records - 1)
    await platform.query(
      `insert into kernel.record_value (organization_id, object, field, record_id, created_at, kind, id_value)
       select organization_id, 'account', 'partner', id, created_at, 'id', $2 from crm.account where organization_id = $1 and name like 'n%'`,
      [owner.organizationId, target.id],
    )
    expect((await owner.rest['accountDelete']!({ id: target.id })).status).toBe(204)
    const count = async (sql: string) =>
      (await platform.query<{ n: number }>(`select count(*)::int as n from ${sql}`, [owner.organizationId]))[0]!.n
    const left = () => count(`crm.account where organization_id = $1 and custom_fields ? 'partner'`)
    expect(await left()).toBe(records)
    await killedAfterEach(platform, {
      job: 'lookups.forgetClearings',
      queue: 'extensions.lookup_clearing',
      parts: [0.9, 0.6, 0.3].map((part) => async () => expect(await left()).toBeLessThan(records * part)),
      end: async () =>
        expect(await count(`extensions.lookup_clearing where organization_id = $1 and state = 'DONE'`)).toBe(1),
    })
    expect(await left()).toBe(0)
    expect(await count(`crm.account where organization_id = $1 and deleted_at is null and version <> 2`)).toBe(0)
    const events = `kernel.event where organization_id = $1 and type = 'account.updated'`
    expect(await count(events)).toBe(records)
    expect(await count(`(select distinct record_id from ${events}) e`)).toBe(records)
  })
})
