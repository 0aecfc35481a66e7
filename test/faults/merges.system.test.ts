import { beforeAll, describe, expect, it } from 'vitest'
import { movedMax } from '../../subgraphs/kernel/record/merge/merge-records.ts'
import { account } from '../builders.ts'
import { copiesOf } from '../extensions/field-changes.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { killedAfterEach, killsMs, killsOf, randomParts } from './killed-worker.ts'

const platform = usePlatform()
const records = movedMax + 1
const kills = killsOf(3)
let owner: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  owner = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

describe('a worker that is killed while it moves references to merged records', { timeout: killsMs(kills) }, () => {
  it('moves each of them once, whenever it dies', async () => {
    const [stays, gone] = [await account(owner), await account(owner)]
    const { id } = await account(owner, { parentAccountId: gone.id })
    await copiesOf(platform, owner, id, records - 1)
    const { status, body } = await owner.rest['accountMerge']!({ id: stays.id, body: { ids: [gone.id] } } as never)
    expect([status, body.isComplete]).toEqual([202, false])
    const count = async (sql: string) =>
      (await platform.query<{ n: number }>(`select count(*)::int as n from ${sql}`, [owner.organizationId]))[0]!.n
    const left = () => count(`crm.account where organization_id = $1 and parent_account_id = '${gone.id}'`)
    expect(await left()).toBe(records)
    await killedAfterEach(platform, {
      job: 'merges.forgetMoves',
      queue: 'records.merge_move',
      parts: randomParts(platform, {
        kills,
        queue: 'records.merge_move',
        reached: async (part) => expect(await left()).toBeLessThanOrEqual(records * (1 - 0.9 * part)),
      }),
      end: async () => expect(await left()).toBe(0),
    })
    const moved = `crm.account where organization_id = $1 and parent_account_id = '${stays.id}'`
    expect(await count(moved)).toBe(records)
    expect(await count(`${moved} and version <> 2`)).toBe(0)
    const events = `kernel.event where organization_id = $1 and type = 'account.updated'`
    expect(await count(events)).toBe(records)
    expect(await count(`(select distinct record_id from ${events}) e`)).toBe(records)
  })
})
