import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pino } from 'pino'
import { hasRedisServer, startRedis } from '../../../test/redis-server.ts'
import type { RedisServer } from '../../../test/redis-server.ts'
import type { Counters } from './counters.ts'
import { MemoryCounters } from './memory-counters.ts'
import { RedisCounters } from './redis-counters.ts'

const log = pino({ level: 'silent' })
const t0 = Date.parse('2026-03-01T12:00:00Z')
const minute = { max: 3, windowMs: 60_000 }
const second = { max: 2, windowMs: 1000 }

if (!hasRedisServer) console.warn('redis-server is not installed: the counters are tested in memory only')

let redis: RedisServer
const kinds: [string, boolean, () => Promise<Counters>][] = [
  ['memory', true, async () => new MemoryCounters()],
  ['Redis', hasRedisServer, () => RedisCounters.open({ url: redis.url, log, timeoutMs: 5000 })],
]

describe.each(kinds)('counters in %s', (kind, runs, open) => {
  let counters: Counters
  beforeAll(async () => {
    if (!runs) return
    if (kind === 'Redis') redis = await startRedis()
    counters = await open()
  })
  afterAll(async () => {
    await counters?.close()
    if (runs && kind === 'Redis') await redis.stop()
  })

  it.runIf(runs)('allow exactly the maximum in one window, and open a new window when it ends', async () => {
    const at = (ms: number) => counters.hit('plain', 'a', [minute], t0 + ms)
    expect(await at(0)).toEqual({ allowed: true, remaining: 2, resetMs: 60_000 })
    expect(await at(10_000)).toEqual({ allowed: true, remaining: 1, resetMs: 50_000 })
    expect(await at(59_998)).toEqual({ allowed: true, remaining: 0, resetMs: 2 })
    expect(await at(59_999)).toEqual({ allowed: false, remaining: 0, resetMs: 1 })
    expect(await at(60_000)).toEqual({ allowed: true, remaining: 2, resetMs: 60_000 })
  })

  it.runIf(runs)('count several hits at once, all of them or none', async () => {
    const at = (hits: number) => counters.hit('several', 'a', [minute], t0, hits)
    expect(await at(4)).toEqual({ allowed: false, remaining: 3, resetMs: 60_000 })
    expect(await at(2)).toEqual({ allowed: true, remaining: 1, resetMs: 60_000 })
    expect(await at(2)).toEqual({ allowed: false, remaining: 1, resetMs: 60_000 })
    expect(await at(1)).toEqual({ allowed: true, remaining: 0, resetMs: 60_000 })
    expect(await at(1)).toEqual({ allowed: false, remaining: 0, resetMs: 60_000 })
  })

  it.runIf(runs)('keep keys and spaces apart', async () => {
    await counters.hit('apart', 'a', [minute], t0)
    expect(await counters.count('apart', 'b', [minute], t0)).toEqual({ allowed: true, remaining: 3, resetMs: 60_000 })
    expect(await counters.count('else', 'a', [minute], t0)).toEqual({ allowed: true, remaining: 3, resetMs: 60_000 })
    expect(await counters.count('apart', 'a', [minute], t0)).toEqual({ allowed: true, remaining: 2, resetMs: 60_000 })
  })

  it.runIf(runs)('read the counts without counting', async () => {
    for (let hit = 0; hit < 3; hit++) await counters.hit('look', 'a', [minute], t0)
    expect(await counters.count('look', 'a', [minute], t0 + 1)).toEqual({
      allowed: false,
      remaining: 0,
      resetMs: 59_999,
    })
    expect(await counters.count('look', 'new', [minute], t0)).toEqual({ allowed: true, remaining: 3, resetMs: 60_000 })
    expect(await counters.count('look', 'new', [minute], t0)).toEqual({ allowed: true, remaining: 3, resetMs: 60_000 })
  })

  it.runIf(runs)('apply several limits together, and count against none of them when one is used up', async () => {
    const at = (ms: number) => counters.hit('both', 'a', [second, minute], t0 + ms)
    expect(await at(0)).toEqual({ allowed: true, remaining: 1, resetMs: 1000 })
    expect(await at(1)).toEqual({ allowed: true, remaining: 0, resetMs: 999 })
    expect(await at(2)).toEqual({ allowed: false, remaining: 0, resetMs: 998 })
    // The refused hit was not counted in the minute: its third hit is still free.
    expect(await at(1000)).toEqual({ allowed: true, remaining: 0, resetMs: 59_000 })
    expect(await at(1001)).toEqual({ allowed: false, remaining: 0, resetMs: 58_999 })
  })

  it.runIf(runs)('return the longest wait when several limits are used up', async () => {
    const limits = [
      { max: 1, windowMs: 1000 },
      { max: 1, windowMs: 60_000 },
    ]
    await counters.hit('wait', 'a', limits, t0)
    expect(await counters.hit('wait', 'a', limits, t0)).toEqual({ allowed: false, remaining: 0, resetMs: 60_000 })
  })

  const check = (space: string, hits: number, limits = [minute]) => ({ space, key: 'a', limits, hits })

  it.runIf(runs)('apply several checks in one step, each with its own limits', async () => {
    const checks = [check('all-1', 1, [second, minute]), check('all-2', 0), check('all-3', 2)]
    expect(await counters.checkAll(checks, t0)).toEqual([
      { allowed: true, remaining: 1, resetMs: 1000 },
      { allowed: true, remaining: 3, resetMs: 60_000 },
      { allowed: true, remaining: 1, resetMs: 60_000 },
    ])
    expect(await counters.checkAll(checks, t0 + 10)).toEqual([
      { allowed: true, remaining: 0, resetMs: 990 },
      { allowed: true, remaining: 3, resetMs: 60_000 },
      { allowed: false, remaining: 1, resetMs: 59_990 },
    ])
  })

  it.runIf(runs)('count the checks before the first refused one and none after it', async () => {
    await counters.hit('stop-2', 'a', [minute], t0, 3)
    const checks = [check('stop-1', 1), check('stop-2', 0), check('stop-3', 1)]
    const decisions = await counters.checkAll(checks, t0)
    expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 2],
      [false, 0],
    ])
    expect((await counters.count('stop-1', 'a', [minute], t0)).remaining).toBe(2)
    expect((await counters.count('stop-3', 'a', [minute], t0)).remaining).toBe(3)
  })

  it.runIf(runs)('let a check see the hits of an earlier check of the same key', async () => {
    const decisions = await counters.checkAll([check('same', 2), check('same', 0), check('same', 2)], t0)
    expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 1],
      [true, 1],
      [false, 1],
    ])
  })

  it.runIf(runs)('apply no check, and a check without limits', async () => {
    expect(await counters.checkAll([], t0)).toEqual([])
    const decisions = await counters.checkAll([check('free', 1, []), check('bound', 1)], t0)
    expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, Number.MAX_SAFE_INTEGER],
      [true, 2],
    ])
  })

  it.runIf(runs)('never allow more than the maximum of concurrent hits', async () => {
    const limit = { max: 50, windowMs: 60_000 }
    const hits = await Promise.all(Array.from({ length: 200 }, () => counters.hit('crowd', 'a', [limit], t0)))
    expect(hits.filter(({ allowed }) => allowed)).toHaveLength(50)
    expect(new Set(hits.filter(({ allowed }) => allowed).map(({ remaining }) => remaining)).size).toBe(50)
  })

  it.runIf(runs)('apply a lowered maximum to hits already counted', async () => {
    for (let hit = 0; hit < 3; hit++) await counters.hit('lowered', 'a', [minute], t0)
    expect(await counters.count('lowered', 'a', [{ max: 2, windowMs: 60_000 }], t0)).toEqual({
      allowed: false,
      remaining: 0,
      resetMs: 60_000,
    })
  })
})

describe('counters in memory', () => {
  it('return a value without a promise', () => {
    expect(new MemoryCounters().hit('plain', 'a', [minute], t0)).toEqual({
      allowed: true,
      remaining: 2,
      resetMs: 60_000,
    })
  })

  it('hold at most the configured number of keys of one space and window', () => {
    const counters = new MemoryCounters(1000)
    for (let key = 0; key < 10_000; key++) counters.hit('flood', `key${key}`, [minute], t0)
    expect(counters.size).toBe(1000)
  })

  it('do not evict a key of another space during a flood', () => {
    const counters = new MemoryCounters(100)
    counters.hit('quota', 'a', [minute], t0)
    for (let key = 0; key < 10_000; key++) counters.hit('flood', `key${key}`, [minute], t0)
    expect(counters.count('quota', 'a', [minute], t0).remaining).toBe(2)
  })

  it('drop expired windows', () => {
    const counters = new MemoryCounters()
    for (let key = 0; key < 100; key++) counters.hit('lapse', `key${key}`, [minute], t0)
    counters.hit('lapse', 'later', [minute], t0 + 60_000)
    counters.hit('lapse', 'latest', [minute], t0 + 120_000)
    expect(counters.size).toBe(2)
  })
})
