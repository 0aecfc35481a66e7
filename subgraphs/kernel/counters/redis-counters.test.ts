import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { freePort, hasRedisServer, startRedis } from '../../../test/redis-server.ts'
import { RedisCounters } from './redis-counters.ts'

const t0 = Date.parse('2026-03-01T12:00:00Z')
const limit = { max: 3, windowMs: 60_000 }

if (!hasRedisServer) console.warn('redis-server is not installed: an outage of Redis is not tested')

/** Log lines as they are written, and the moment one with a given text arrives. */
function listeningLog() {
  const lines: string[] = []
  const waiting: { text: string; resolve: () => void }[] = []
  const write = (line: string) => {
    lines.push(line)
    for (const { text, resolve } of waiting) if (line.includes(text)) resolve()
  }
  const wrote = (text: string) =>
    lines.some((line) => line.includes(text))
      ? Promise.resolve()
      : new Promise<void>((resolve) => void waiting.push({ text, resolve }))
  return { log: pino({ level: 'info' }, { write }), lines, wrote }
}

describe.runIf(hasRedisServer)('counters with and without Redis', () => {
  it('share counts between processes', async () => {
    const redis = await startRedis()
    const { log } = listeningLog()
    const one = await RedisCounters.open({ url: redis.url, log, timeoutMs: 5000 })
    const other = await RedisCounters.open({ url: redis.url, log, timeoutMs: 5000 })
    expect((await one.hit('quota', 'a', [limit], t0)).remaining).toBe(2)
    expect((await other.hit('quota', 'a', [limit], t0)).remaining).toBe(1)
    await Promise.all([one.close(), other.close()])
    await redis.stop()
  })

  it('count in process while Redis is unavailable, log it once, and share again when it is back', async () => {
    const port = await freePort()
    const redis = await startRedis(port)
    const { log, lines, wrote } = listeningLog()
    const counters = await RedisCounters.open({ url: redis.url, log, timeoutMs: 5000 })
    expect((await counters.hit('quota', 'a', [limit], t0)).remaining).toBe(2)

    await redis.stop()
    await wrote('Redis does not answer')
    const during = []
    for (let hit = 0; hit < 4; hit++) during.push(await counters.hit('quota', 'a', [limit], t0))
    expect(during.map(({ allowed }) => allowed)).toEqual([true, true, true, false])
    expect(lines.filter((line) => line.includes('Redis does not answer'))).toHaveLength(1)

    const again = await startRedis(port)
    await wrote('Redis answers again')
    expect((await counters.hit('quota', 'a', [limit], t0)).remaining).toBe(2)
    await counters.close()
    await again.stop()
  })

  it('wait for a hanging Redis until the timeout, and then skip it', async () => {
    const redis = await startRedis()
    const { log, wrote } = listeningLog()
    const counters = await RedisCounters.open({ url: redis.url, log, timeoutMs: 50, retryAfterMs: 60_000 })
    redis.freeze()
    expect((await counters.hit('quota', 'a', [limit], t0)).remaining).toBe(2)
    await wrote('Redis does not answer')
    expect(counters.hit('quota', 'a', [limit], t0)).toEqual({ allowed: true, remaining: 1, resetMs: 60_000 })
    redis.thaw()
    await counters.close()
    await redis.stop()
  })

  it('open without a Redis server', async () => {
    const { log, wrote } = listeningLog()
    const counters = await RedisCounters.open({ url: `redis://127.0.0.1:${await freePort()}`, log })
    await wrote('Redis does not answer')
    expect(counters.hit('quota', 'a', [limit], t0)).toEqual({ allowed: true, remaining: 2, resetMs: 60_000 })
    await counters.close()
  })
})
