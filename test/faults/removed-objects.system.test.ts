import { beforeAll, describe, expect, it } from 'vitest'
import { removeDeletedObjects } from '../../subgraphs/extensions/custom-object/remove-object.queue.ts'
import { account } from '../builders.ts'
import { visit } from '../extensions/custom-objects.fixture.ts'
import { detailCopies } from '../extensions/details.fixture.ts'
import { visitsOfAccounts } from '../extensions/lookups.fixture.ts'
import { settleFieldChanges } from '../extensions/field-changes.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { killedAfterEach } from './killed-worker.ts'

const platform = usePlatform()
const records = 14_000
let owner: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  owner = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

describe('a worker that is killed while it removes the records of a deleted object', { timeout: 300_000 }, () => {
  it('removes all of them and then the object, whenever it dies', async () => {
    const object = await visitsOfAccounts(owner)
    await settleFieldChanges(platform)
    const { id } = await visit(owner, { subject: 'Pump', account: (await account(owner)).id })
    await detailCopies(platform, id, records - 1, 'account')
    expect((await owner.rest['customObjectDelete']!({ id: object.id })).status).toBe(204)
    await platform.query(`update extensions.custom_object set deleted_at = now() - interval '31 days' where id = $1`, [
      object.id,
    ])
    const count = async (sql: string) =>
      (await platform.query<{ n: number }>(`select count(*)::int as n from ${sql}`, [owner.organizationId]))[0]!.n
    const left = () => count('extensions.custom_record where organization_id = $1')
    await removeDeletedObjects.run(platform.services)
    await killedAfterEach(platform, {
      job: 'customObjects.forgetRemovals',
      queue: 'extensions.object_removal',
      parts: [10_000, 5_000].map((part) => async () => expect(await left()).toBeLessThan(part)),
      end: async () =>
        expect(await count(`extensions.object_removal where organization_id = $1 and state = 'DONE'`)).toBe(1),
    })
    for (const rows of [
      'extensions.custom_record',
      'kernel.record_value',
      'extensions.custom_object',
      'extensions.field_definition',
    ])
      expect([rows, await count(`${rows} where organization_id = $1`)]).toEqual([rows, 0])
  })
})
