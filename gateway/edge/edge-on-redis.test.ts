import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedisServer, startRedis } from '../../test/redis-server.ts'
import type { RedisServer } from '../../test/redis-server.ts'
import { RedisCounters } from '../../subgraphs/kernel/counters/redis-counters.ts'
import { aKey, anEdge } from './edge.fixture.ts'

if (!hasRedisServer) console.warn('redis-server is not installed: edges that share limits are not tested')

describe.runIf(hasRedisServer)('two edges on one Redis', () => {
  let redis: RedisServer
  const open = () => RedisCounters.open({ url: redis.url, log: pino({ level: 'silent' }), timeoutMs: 5000 })
  let counters: RedisCounters[]
  beforeAll(async () => {
    redis = await startRedis()
    counters = [await open(), await open()]
  })
  afterAll(async () => {
    await Promise.all(counters.map((each) => each.close()))
    await redis.stop()
  })

  it('share the quota of a key exactly', async () => {
    const [one, other] = [anEdge({ counters: counters[0] }), anEdge({ counters: counters[1] })]
    const { secret, hash } = one.issue({ id: 'shared', rateLimit: { limit: 10, window: 'HOUR' } })
    other.keys.set(hash, aKey({ id: 'shared', rateLimit: { limit: 10, window: 'HOUR' } }))
    const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => (at % 2 ? one : other).sendWithKey(secret)))
    expect(answers.filter(({ code }) => code === 'OK')).toHaveLength(10)
    expect(answers.filter(({ code }) => code === 'API_KEY_RATE_LIMITED')).toHaveLength(20)
    expect((await one.sendWithKey(secret)).headers['ratelimit-remaining']).toBe('0')
  })

  it('share the throttle of failed keys', async () => {
    const [one, other] = [anEdge({ counters: counters[0] }), anEdge({ counters: counters[1] })]
    for (let failure = 1; failure <= 20; failure++) {
      expect((await (failure % 2 ? one : other).sendWithKey('garbage')).code).toBe('API_KEY_INVALID')
    }
    const { secret } = one.issue()
    expect((await one.sendWithKey(secret)).code).toBe('API_KEY_AUTH_THROTTLED')
    expect((await other.sendWithKey('garbage')).code).toBe('API_KEY_AUTH_THROTTLED')
  })

  it('share limits per address', async () => {
    const ipLimits = [{ max: 2, windowMs: 60_000 }]
    const [one, other] = [anEdge({ counters: counters[0], ipLimits }), anEdge({ counters: counters[1], ipLimits })]
    const codes = []
    for (const { send } of [one, other, one]) codes.push((await send({ peer: '203.0.113.99' })).code)
    expect(codes).toEqual(['OK', 'OK', 'IP_RATE_LIMITED'])
  })
})
