import { describe, expect, it } from 'vitest'
import { usePlatform } from '../platform.ts'

const platform = usePlatform()

/** The statements that the platform executes while `work` runs, and how many whole seconds that took. */
async function statementsDuring(work: () => Promise<unknown>): Promise<{ statements: string[]; seconds: number }> {
  const { database } = platform.services
  const statements: string[] = []
  const { query } = database
  database.query = function counted<R>(text: string, values?: readonly unknown[]) {
    statements.push(text)
    return query.call(database, text, values) as Promise<R[]>
  }
  const began = performance.now()
  try {
    await work()
  } finally {
    database.query = query
  }
  return { statements, seconds: Math.floor((performance.now() - began) / 1000) }
}

const statusOf = async (path: string): Promise<number> => (await fetch(platform.url + path)).status

describe('health checks', () => {
  it('execute at most one statement per second for /health/ready and /metrics, for any number of requests', async () => {
    const statuses: number[] = []
    const { statements, seconds } = await statementsDuring(async () => {
      for (let round = 0; round < 10; round++) {
        const asked = Array.from({ length: 20 }, (_, index) => statusOf(index % 2 ? '/metrics' : '/health/ready'))
        statuses.push(...(await Promise.all(asked)))
      }
    })
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(statements.filter((text) => text.includes('kernel.migration')).length).toBeLessThanOrEqual(seconds + 1)
    expect(statements.filter((text) => !text.includes('kernel.migration'))).toEqual([])
  })

  it('execute no statement for /health/live', async () => {
    const { statements } = await statementsDuring(async () => {
      for (let round = 0; round < 20; round++) expect(await statusOf('/health/live')).toBe(200)
    })
    expect(statements).toEqual([])
  })
})

describe('a database that does not answer', () => {
  it('gets one health query at a time, and every health check reports the failure', async () => {
    const held = Promise.withResolvers<void>()
    const holds = Promise.withResolvers<void>()
    const holding = platform.services.database.transaction(async (sql) => {
      await sql.query('lock table kernel.migration in access exclusive mode')
      holds.resolve()
      await held.promise
    })
    await holds.promise
    const late = { status: 'not ready', reasons: { database: 'has not answered for 3 seconds' } }
    const reasons = async (): Promise<unknown> => (await fetch(`${platform.url}/health/ready`)).json()
    // A health result is cached for one second.
    await expect.poll(reasons, { timeout: 30_000 }).toEqual(late)
    expect(await Promise.all([reasons(), reasons(), reasons()])).toEqual([late, late, late])
    expect([await platform.waitingForLocks(), await statusOf('/health/live')]).toEqual([1, 200])
    held.resolve()
    await holding
    await expect.poll(() => statusOf('/health/ready'), { timeout: 30_000 }).toBe(200)
  })
})
