import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedisServer, redisCommandsDuring, startRedis } from '../../test/redis-server.ts'
import type { RedisServer } from '../../test/redis-server.ts'
import { RedisCounters } from '../../subgraphs/kernel/counters/redis-counters.ts'
import { aKey, anEdge, exchange } from './edge.fixture.ts'

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

  it('share a quota exactly that is charged at admission', async () => {
    const rateLimit = { limit: 10, window: 'HOUR' } as const
    const edges = counters.map((each) => anEdge({ counters: each, ipLimits: [{ max: 1000, windowMs: 60_000 }] }))
    const { secret, hash } = edges[0]!.issue({ id: 'at-admission', rateLimit })
    edges[1]!.keys.set(hash, aKey({ id: 'at-admission', rateLimit }))
    const charge = async ({ edge }: (typeof edges)[number]): Promise<string> => {
      const { req, res } = exchange({ headers: { 'x-api-key': secret }, peer: '203.0.113.50' })
      await edge.spend(await edge.admit(req, res, () => {}), res)
      return 'OK'
    }
    const codes = await Promise.all(
      Array.from({ length: 30 }, (_, at) => charge(edges[at % 2]!).catch(({ code }: { code: string }) => code)),
    )
    expect(codes.filter((code) => code === 'OK')).toHaveLength(10)
    expect(codes.filter((code) => code === 'API_KEY_RATE_LIMITED')).toHaveLength(20)
  })

  it('send one command to admit a request, and one to charge an operation that is worth several', async () => {
    const { edge, issue, sendWithKey } = anEdge({ counters: counters[0], ipLimits: [{ max: 100, windowMs: 60_000 }] })
    const { secret } = issue({ id: 'worth-several' })
    const { req, res } = exchange({ headers: { 'x-api-key': secret }, peer: '203.0.113.51' })
    await sendWithKey(secret, { peer: '203.0.113.51' })
    const admission = await edge.admit(req, res)
    expect(await redisCommandsDuring(redis.url, async () => edge.admit(req, res))).toEqual(['EVALSHA'])
    expect(await redisCommandsDuring(redis.url, async () => edge.spend(admission, res, 5))).toEqual(['EVALSHA'])
    expect(res.getHeader('ratelimit-remaining')).toBe('994')
  })
})

describe.runIf(hasRedisServer)('an edge whose Redis ends', () => {
  it('admits and charges by the counters of its process', async () => {
    const ending = await startRedis()
    const counters = await RedisCounters.open({ url: ending.url, log: pino({ level: 'silent' }), timeoutMs: 5000 })
    const { edge, issue } = anEdge({ counters, ipLimits: [{ max: 100, windowMs: 60_000 }] })
    const { secret } = issue({ rateLimit: { limit: 2, window: 'HOUR' } })
    const charge = async (): Promise<unknown> => {
      const { req, res } = exchange({ headers: { 'x-api-key': secret } })
      const charged = async () => edge.spend(await edge.admit(req, res, () => {}), res)
      const code = await charged().then(
        () => 'OK',
        (refusal: { code: string }) => refusal.code,
      )
      return [code, res.getHeader('ratelimit-remaining')]
    }
    expect([await charge(), await charge()]).toEqual([
      ['OK', '1'],
      ['OK', '0'],
    ])
    await ending.stop()
    expect([await charge(), await charge(), await charge()]).toEqual([
      ['OK', '1'],
      ['OK', '0'],
      ['API_KEY_RATE_LIMITED', '0'],
    ])
    await counters.close()
  })
})
