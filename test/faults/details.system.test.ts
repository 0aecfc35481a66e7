import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { visit } from '../extensions/custom-objects.fixture.ts'
import { detailCopies, visitsAndFindings } from '../extensions/details.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { killedAfterEach } from './killed-worker.ts'

const platform = usePlatform()
const details = 12_000
let owner: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  owner = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

describe('a worker that is killed while details follow their master', { timeout: 600_000 }, () => {
  it('deletes and restores each of them once, whenever it dies', async () => {
    await visitsAndFindings(platform, owner)
    const target = await account(owner)
    const { id } = await visit(owner, { subject: 'Pump', account: target.id })
    await detailCopies(platform, id, details - 1, 'account')
    const count = async (sql: string) =>
      (await platform.query<{ n: number }>(`select count(*)::int as n from ${sql}`, [owner.organizationId]))[0]!.n
    const records = 'extensions.custom_record where organization_id = $1'
    const deleted = () => count(`${records} and deleted_at is not null`)
    const done = (operation: string) =>
      count(`extensions.detail_change where organization_id = $1 and operation = '${operation}' and state = 'DONE'`)
    const followed = (operation: string, parts: readonly (() => Promise<void>)[]) =>
      killedAfterEach(platform, {
        job: 'details.forgetChanges',
        queue: 'extensions.detail_change',
        parts,
        end: async () => expect(await done(operation)).toBe(1),
      })
    const events = (type: string) =>
      `kernel.event where organization_id = $1 and type = 'custom_object.site_visit.${type}'`

    expect((await owner.rest['accountDelete']!({ id: target.id })).status).toBe(204)
    expect(await deleted()).toBe(0)
    await followed(
      'DELETE',
      [5_000, 10_000].map((part) => async () => expect(await deleted()).toBeGreaterThanOrEqual(part)),
    )
    expect([await deleted(), await count(`${records} and version <> 2`)]).toEqual([details, 0])
    expect(await count(events('deleted'))).toBe(details)
    expect(await count(`(select distinct record_id from ${events('deleted')}) e`)).toBe(details)

    expect((await owner.rest['accountRestore']!({ id: target.id })).status).toBe(200)
    await followed(
      'RESTORE',
      [7_000, 2_000].map((left) => async () => expect(await deleted()).toBeLessThanOrEqual(left)),
    )
    expect([await deleted(), await count(`${records} and version <> 3`)]).toEqual([0, 0])
    expect(await count(events('restored'))).toBe(details)
    expect(await count(`(select distinct record_id from ${events('restored')}) e`)).toBe(details)
    const { body } = await owner.rest['customRecordList']!({ name: 'site_visit', query: { limit: 1 } } as never)
    expect(body.total).toBe(details)
  })
})
