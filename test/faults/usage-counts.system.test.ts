import { expect, it, onTestFinished, vi } from 'vitest'
import { flushEveryMs } from '../../subgraphs/identity/usage/usage-buffer.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aProcess, type Process } from '../processes.ts'

const platform = usePlatform()
/** Delay that a busy machine may add to the interval. */
const lateMs = 500

interface UsageCounts {
  /** The count on the API key, and the sum of its hourly counts. */
  readonly key: number
  readonly hours: number
}

async function countedOf({ keyId }: Member): Promise<UsageCounts> {
  const [counted] = await platform.query<UsageCounts>(
    `select request_count::int as key,
       (select coalesce(sum(requests), 0)::int from identity.usage_hour where credential_id = k.id) as hours
     from identity.api_key k where id = $1`,
    [keyId],
  )
  return counted!
}

it('a killed process loses only the counts of its last two seconds and counts nothing twice', async () => {
  expect(flushEveryMs).toBe(2000)
  const member = await platform.member()
  const environment = { DATA_DIR: platform.dataDir, DATABASE_URL: platform.services.databaseUrl }
  const process: Process = await aProcess(['bin/run', 'main', 'gateway'], {
    LOG_LEVEL: 'warn',
    IP_LIMITS: 'off',
    ...environment,
  })
  onTestFinished(() => process.kill())
  const answeredAt: number[] = []
  const ask = async () => {
    const { status } = await fetch(`${process.url}/v1/accounts?limit=1`, { headers: member.headers })
    expect(status).toBe(200)
    answeredAt.push(performance.now())
  }

  await process.start()
  const seen = new Set<number>()
  const afterThreeFlushes = async () => {
    await ask()
    seen.add((await countedOf(member)).key)
    expect(seen.size).toBe(4)
  }
  await vi.waitFor(afterThreeFlushes, { timeout: 20_000, interval: 20 })
  for (let count = 0; count < 25; count++) await ask()
  const killedAt = performance.now()
  await process.kill()

  const left = await countedOf(member)
  const minimumCounted = answeredAt.filter((at) => at < killedAt - flushEveryMs - lateMs).length
  expect(minimumCounted).toBeGreaterThan(0)
  for (const count of [left.key, left.hours]) {
    expect(count).toBeGreaterThanOrEqual(minimumCounted)
    expect(count).toBeLessThanOrEqual(answeredAt.length)
  }

  await process.start()
  for (let count = 0; count < 10; count++) await ask()
  expect(await process.stop()).toBe(0)
  expect(await countedOf(member)).toEqual({ key: left.key + 10, hours: left.hours + 10 })
})
