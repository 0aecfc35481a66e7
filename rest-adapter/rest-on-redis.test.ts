import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inventedKey, start } from '../gateway/edge/edge.fixture.ts'
import { RedisCounters } from '../subgraphs/kernel/counters/redis-counters.ts'
import { hasRedisServer, redisCommandsDuring, startRedis, type RedisServer } from '../test/redis-server.ts'
import { partId, partsServer } from './rest.fixture.ts'

if (!hasRedisServer) console.warn('redis-server is not installed: the commands of a request to Redis are not counted')

const path = `/v1/parts/${partId}`
const minute = 60_000

describe.runIf(hasRedisServer)('a REST request with counters in Redis', () => {
  let redis: RedisServer
  let counters: RedisCounters
  let server: Awaited<ReturnType<typeof partsServer>>
  beforeAll(async () => {
    redis = await startRedis()
    counters = await RedisCounters.open({ url: redis.url, log: pino({ level: 'silent' }), timeoutMs: 5000 })
    const ipLimits = [
      { max: 1000, windowMs: 1000 },
      { max: 5000, windowMs: minute },
    ]
    server = await partsServer(() => [], { counters, ipLimits })
  })
  afterAll(async () => {
    server.close()
    await counters.close()
    await redis.stop()
  })

  const send = (headers: Record<string, string>, method = 'GET', sentTo = path) =>
    fetch(server.base + sentTo, { method, headers })

  /** The first request reads the record of the credential, which is cached afterwards. */
  async function commandsOfSecond(headers: Record<string, string>, status: number, method = 'GET', sentTo = path) {
    expect((await send(headers, method, sentTo)).status).toBe(status)
    return redisCommandsDuring(redis.url, async () => expect((await send(headers, method, sentTo)).status).toBe(status))
  }
  const key = (values: Parameters<typeof server.issue>[0]) => ({ 'X-API-Key': server.issue(values).secret })

  it('with an API key sends one command for address limit, throttle and quota', async () => {
    const headers = key({ id: 'one' })
    expect(await commandsOfSecond(headers, 200)).toEqual(['EVALSHA'])
    expect((await send(headers)).headers.get('ratelimit-remaining')).toBe('997')
  })

  it('with an API key sends one command when it is refused for its scopes, and charges nothing', async () => {
    const headers = key({ id: 'two' })
    expect(await commandsOfSecond(headers, 403, 'DELETE')).toEqual(['EVALSHA'])
    expect((await send(headers)).headers.get('ratelimit-remaining')).toBe('999')
  })

  it('with an API key sends one command when the quota is spent, and counts the refusal', async () => {
    const headers = key({ id: 'three', rateLimit: { limit: 0, window: 'HOUR' } })
    expect(await commandsOfSecond(headers, 429)).toEqual(['EVALSHA'])
    expect(server.refused.filter((id) => id === 'three')).toHaveLength(2)
  })

  it('with a revoked API key sends one command, and counts a failure', async () => {
    expect(await commandsOfSecond(key({ id: 'four', revokedAt: start }), 401)).toEqual(['EVALSHA'])
    const throttled = await counters.count('key-failures', '127.0.0.1', [{ max: 20, windowMs: 15 * minute }], +start)
    expect(throttled.remaining).toBe(18)
  })

  it.each([
    ['a malformed key', () => 'garbage'],
    ['a key that does not exist', inventedKey],
  ])('with %s sends one command', async (_name, secret) => {
    expect(await commandsOfSecond({ 'X-API-Key': secret() }, 401)).toEqual(['EVALSHA'])
  })

  it('with an access token of an app sends one command', async () => {
    const headers = { Authorization: `Bearer ${server.authorize()}` }
    expect(await commandsOfSecond(headers, 200)).toEqual(['EVALSHA'])
  })

  it('with a session sends one command', async () => {
    expect(await commandsOfSecond({ Authorization: `Bearer ${await server.signIn()}` }, 200)).toEqual(['EVALSHA'])
  })

  it('for an unknown path sends one command', async () => {
    expect(await commandsOfSecond(key({ id: 'five' }), 404, 'GET', '/v1/nowhere')).toEqual(['EVALSHA'])
  })

  it('with an API key that is not cached sends the limits before it reads the key, and the quota after', async () => {
    const headers = key({ id: 'six' })
    expect(await redisCommandsDuring(redis.url, () => send(headers))).toEqual(['EVALSHA', 'EVALSHA'])
  })
})
