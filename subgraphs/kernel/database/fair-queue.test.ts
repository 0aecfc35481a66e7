import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FairQueue, QueueFull, type QueueLimits, type PoolRequest } from './fair-queue.ts'

const limits: QueueLimits = {
  connections: 4,
  connectionsPerTenant: 2,
  connectionsPerOperation: 2,
  scans: 2,
  scansPerTenant: 1,
  waitingMax: 3,
  waitingScansMax: 2,
  waitMs: 5_000,
}

interface Needs {
  readonly needsConnection?: boolean
  readonly needsScanSlot?: boolean
  readonly operation?: { running: number }
}

class TestQueue {
  readonly queue: FairQueue
  /** The outcomes of requests that waited, in order. */
  readonly outcomes: string[] = []
  readonly #requests = new Map<string, PoolRequest>()

  constructor(more: Partial<QueueLimits> = {}) {
    this.queue = new FairQueue({ ...limits, ...more })
  }

  /** `a1` is a request of tenant `a`. True: granted at once. */
  acquire(
    name: string,
    { needsConnection = true, needsScanSlot = false, operation = { running: 0 } }: Needs = {},
  ): boolean {
    const start = (): void => void this.outcomes.push(name)
    const expire = (isOwnLoad: boolean): void =>
      void this.outcomes.push(`${name} expired${isOwnLoad ? ' by own load' : ''}`)
    const request: PoolRequest = { tenant: name[0]!, needsConnection, needsScanSlot, operation, start, expire }
    this.#requests.set(name, request)
    return this.queue.acquire(request)
  }

  release(...names: string[]): void {
    for (const name of names) this.queue.release(this.#requests.get(name)!)
  }

  remove(name: string): boolean {
    return this.queue.remove(this.#requests.get(name)!)
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('FairQueue', () => {
  it('limits a tenant to its share, so that others get the rest', () => {
    const pool = new TestQueue()
    expect(['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => pool.acquire(name))).toEqual([true, true, false, true, true])
    expect(pool.queue.waiting).toBe(1)
    pool.release('b1')
    expect(pool.outcomes).toEqual([])
    pool.release('a1')
    expect(pool.outcomes).toEqual(['a3'])
  })

  it('limits an operation to its share, so that other operations of its tenant get the rest', () => {
    const pool = new TestQueue({ connectionsPerOperation: 1 })
    const operation = { running: 0 }
    expect(pool.acquire('a1', { operation })).toBe(true)
    expect(pool.acquire('a2', { operation })).toBe(false)
    expect(pool.acquire('a3')).toBe(true)
    pool.release('a3')
    expect(pool.outcomes).toEqual([])
    pool.release('a1')
    expect(pool.outcomes).toEqual(['a2'])
  })

  it('serves tenants in turn, and each tenant in order of arrival', () => {
    const pool = new TestQueue({ connections: 1 })
    pool.acquire('z1')
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) expect(pool.acquire(name)).toBe(false)
    for (const name of ['z1', 'a1', 'b1', 'c1', 'a2', 'b2']) pool.release(name)
    expect(pool.outcomes).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('lets no lookup wait behind a scan', () => {
    const pool = new TestQueue()
    expect(pool.acquire('a1', { needsScanSlot: true })).toBe(true)
    expect(pool.acquire('a2', { needsScanSlot: true })).toBe(false)
    expect(pool.acquire('a3')).toBe(true)
    pool.release('a3')
    expect(pool.outcomes).toEqual([])
    pool.release('a1')
    expect(pool.outcomes).toEqual(['a2'])
  })

  it('limits the scans of all tenants together to the scan slots', () => {
    const pool = new TestQueue()
    expect(['a1', 'b1', 'c1'].map((name) => pool.acquire(name, { needsScanSlot: true }))).toEqual([true, true, false])
    pool.release('a1')
    expect(pool.outcomes).toEqual(['c1'])
  })

  it('starts a scan in a transaction while others of the tenant wait for its connections', () => {
    const pool = new TestQueue()
    const operation = { running: 0 }
    for (const name of ['a1', 'a2']) pool.acquire(name, { operation })
    pool.acquire('b1', { needsScanSlot: true })
    pool.acquire('c1', { needsScanSlot: true })
    expect(pool.acquire('a3', { needsScanSlot: true })).toBe(false)
    expect(pool.acquire('a4', { needsScanSlot: true, needsConnection: false, operation })).toBe(false)
    pool.release('b1')
    expect(pool.outcomes).toEqual(['a4'])
  })

  it('refuses a tenant with too many waiting requests, but no other tenant', () => {
    const pool = new TestQueue()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) pool.acquire(name)
    expect(() => pool.acquire('a6')).toThrow(QueueFull)
    expect(pool.acquire('b1')).toBe(true)
    pool.release('a1')
    expect(pool.acquire('a7')).toBe(false)
  })

  it('limits waiting scans separately', () => {
    const pool = new TestQueue()
    for (const name of ['a1', 'a2', 'a3']) pool.acquire(name, { needsScanSlot: true })
    expect(() => pool.acquire('a4', { needsScanSlot: true })).toThrow(QueueFull)
    expect(pool.acquire('a5')).toBe(true)
  })

  it('expires a request that waited too long, and does not start it later', () => {
    const pool = new TestQueue({ connections: 1 })
    pool.acquire('a1')
    pool.acquire('b1')
    vi.advanceTimersByTime(4_999)
    expect(pool.outcomes).toEqual([])
    vi.advanceTimersByTime(1)
    expect(pool.outcomes).toEqual(['b1 expired'])
    pool.release('a1')
    expect(pool.outcomes).toEqual(['b1 expired'])
    expect(pool.queue.waiting).toBe(0)
  })

  it.each<[string, Partial<QueueLimits>, (pool: TestQueue) => void, string]>([
    [
      'its tenant has all the connections that it may have',
      { connectionsPerTenant: 1 },
      (pool) => pool.acquire('a1'),
      'a9 expired by own load',
    ],
    ['others have all connections', { connections: 1 }, (pool) => pool.acquire('b1'), 'a9 expired'],
    [
      'its tenant has all the scans that it may have',
      { scans: 2 },
      (pool) => pool.acquire('a1', { needsScanSlot: true }),
      'a9 expired by own load',
    ],
    ['others have all scans', { scans: 1 }, (pool) => pool.acquire('b1', { needsScanSlot: true }), 'a9 expired'],
  ])('says whose load it was when %s', (_, more, occupy, outcome) => {
    const pool = new TestQueue(more)
    occupy(pool)
    pool.acquire('a9', { needsScanSlot: true })
    vi.advanceTimersByTime(5_000)
    expect(pool.outcomes).toEqual([outcome])
  })

  it('says that it was its own load when its tenant had its turns meanwhile', () => {
    const pool = new TestQueue({ connections: 2 })
    for (const name of ['b1', 'b2', 'a1', 'a2', 'c1']) pool.acquire(name)
    pool.release('b1')
    pool.release('b2')
    expect(pool.outcomes).toEqual(['a1', 'c1'])
    vi.advanceTimersByTime(5_000)
    expect(pool.outcomes).toEqual(['a1', 'c1', 'a2 expired by own load'])
  })

  it('does not start a request that was removed', () => {
    const pool = new TestQueue({ connections: 1 })
    pool.acquire('a1')
    pool.acquire('b1')
    pool.acquire('b2')
    expect(pool.remove('b1')).toBe(true)
    expect(pool.remove('b1')).toBe(false)
    expect(pool.remove('a1')).toBe(false)
    pool.release('a1')
    expect(pool.outcomes).toEqual(['b2'])
  })
})
