import { beforeAll, describe, expect, it, vi } from 'vitest'
import { deploymentOf, json, requested, retrieved, type Files } from '../metadata/metadata.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aWorker, patience } from './killed-worker.ts'

const platform = usePlatform()
const fields = 400
let owner: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  owner = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

const files: Files = Object.fromEntries(
  Array.from({ length: fields }, (_, index) => [
    `src/fields/ACCOUNT.f${index}.field.json`,
    json({ entity: 'ACCOUNT', name: `f${index}`, label: 'Field', fieldType: 'TEXT', sortOrder: index }),
  ]),
)

const count = async (sql: string): Promise<number> =>
  (await platform.query<{ n: number }>(`select count(*)::int as n from ${sql}`, [owner.organizationId]))[0]!.n

describe('a worker that is killed while it deploys', { timeout: 300_000 }, () => {
  it('leaves nothing, and the next one makes all changes once', async () => {
    const id = await requested(owner, files)
    const events = 'kernel.event where organization_id = $1'
    // Those of the organization, its user and the API key.
    const eventsBefore = await count(events)
    const worker = await aWorker(platform)
    for (const isLast of [false, false, true]) {
      // A dead process keeps its lease for minutes.
      await platform.query(
        `update extensions.deployment set next_attempt_at = now(), status = 'PENDING' where lease_token is not null and state = 'QUEUED'`,
      )
      await worker.start('metadata.forgetDeployments')
      await vi.waitFor(
        async () => expect((await deploymentOf(owner, id)).status).toBe(isLast ? 'SUCCEEDED' : 'DEPLOYING'),
        patience,
      )
      await worker.kill()
      if (isLast) continue
      expect(await count('extensions.field_definition where organization_id = $1')).toBe(0)
      expect(await count(events)).toBe(eventsBefore)
    }
    expect(await count('extensions.field_definition where organization_id = $1')).toBe(fields)
    expect(await count(`${events} and type = 'custom_field.created'`)).toBe(fields)
    expect(await count(`${events} and type = 'metadata.deployed'`)).toBe(1)
    expect((await retrieved(owner)).version).toBe((await deploymentOf(owner, id)).version)
  })

  it('leaves nothing while it runs tests, which the next one runs again', async () => {
    const folder = 'src/functions/slow'
    const source = `export default async (input, { api }) => {
      await api.graphql('mutation { taskCreate(input: { subject: "Never" }) { id } }')
      await new Promise((resolve) => setTimeout(resolve, 2000))
      return {}
    }`
    const id = await requested(
      owner,
      {
        [`${folder}/function.json`]: json({ name: 'Slow', scopes: ['WRITE_TASKS'] }),
        [`${folder}/index.js`]: source,
        [`${folder}/tests/a.json`]: json({ expect: { output: {} } }),
      },
      { testLevel: 'ALL' },
    )
    const worker = await aWorker(platform)
    const before = await count('kernel.event where organization_id = $1')
    for (const isLast of [false, true]) {
      await platform.query(
        `update extensions.deployment set next_attempt_at = now(), status = 'PENDING' where lease_token is not null and state = 'QUEUED'`,
      )
      await worker.start('metadata.forgetDeployments')
      await vi.waitFor(
        async () => expect((await deploymentOf(owner, id)).status).toBe(isLast ? 'SUCCEEDED' : 'TESTING'),
        patience,
      )
      await worker.kill()
      if (isLast) continue
      for (const table of ['extensions.function', 'extensions.function_test', 'crm.task'])
        expect(await count(`${table} where organization_id = $1`)).toBe(0)
      expect(await count('kernel.event where organization_id = $1')).toBe(before)
    }
    expect(await count('extensions.function_test where organization_id = $1')).toBe(1)
    expect(await count('crm.task where organization_id = $1')).toBe(0)
    expect(await count(`kernel.event where organization_id = $1 and type = 'serverless_function.created'`)).toBe(1)
  })
})
