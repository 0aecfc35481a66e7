import { beforeAll, describe, it } from 'vitest'
import { account, opportunity } from '../builders.ts'
import { field } from '../extensions/custom-fields.fixture.ts'
import { settleFieldChanges } from '../extensions/field-changes.fixture.ts'
import { definedContext, expectRight, fieldsOfDeals, rollups } from '../extensions/rollups.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sendDespiteKills } from './killed-server.ts'
import { aWorker } from './killed-worker.ts'

const platform = usePlatform()
let owner: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  owner = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

describe('rollups', { timeout: 300_000 }, () => {
  it('are right whenever a server that writes children, or a worker that merges, is killed', async () => {
    await fieldsOfDeals(owner)
    for (const [one] of rollups) await field(owner, one)
    await settleFieldChanges(platform)
    const parents: string[] = []
    for (let index = 0; index < 5; index++) parents.push((await account(owner)).id)
    const deals: string[] = []
    for (let index = 0; index < 20; index++)
      deals.push((await opportunity(owner, { accountId: parents[index % 5]!, customFields: { seats: index } })).id)
    const ctx = await definedContext(platform, owner)
    await expectRight(platform, ctx)

    const requests = Array.from({ length: 400 }, (_, index) => ({
      path: '/v1/opportunities/bulk/update',
      body: {
        items: [0, 7].map((step) => ({
          id: deals[(index + step) % deals.length]!,
          accountId: parents[(index * 3 + step) % parents.length]!,
          amount: index / 4,
          customFields: { hot: index % 2 === 0 },
        })),
      },
    }))
    const changes = async () => {
      const [row] = await platform.query<{ n: number }>(
        `select count(*)::int as n from kernel.event where organization_id = $1 and type = 'opportunity.updated'`,
        [owner.organizationId],
      )
      return row!.n
    }
    const worker = await aWorker(platform)
    await sendDespiteKills(platform, owner, requests, {
      parts: [60, 200, 400, 600],
      progress: changes,
      async restarted() {
        await worker.kill()
        await expectRight(platform, ctx)
        await worker.start('customFields.forgetChanges')
      },
    })
    await expectRight(platform, ctx)
    await worker.kill()
  })
})
