import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FairQueue, QueueFull, type QueueLimits, type Turn } from './fair-queue.ts'

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

interface Asked {
  readonly needsConnection?: boolean
  readonly needsLane?: boolean
  readonly operation?: { running: number }
}

class Office {
  readonly queue: FairQueue
  /** What happened to turns that waited, by name. */
  readonly told: string[] = []
  readonly #turns = new Map<string, Turn>()

  constructor(more: Partial<QueueLimits> = {}) {
    this.queue = new FairQueue({ ...limits, ...more })
  }

  /** `a1` is a turn of the tenant `a`. True: it started at once. */
  enter(name: string, { needsConnection = true, needsLane = false, operation = { running: 0 } }: Asked = {}): boolean {
    const start = (): void => void this.told.push(name)
    const expire = (): void => void this.told.push(`${name} expired`)
    const turn: Turn = { tenant: name[0]!, needsConnection, needsLane, operation, start, expire }
    this.#turns.set(name, turn)
    return this.queue.enter(turn)
  }

  leave(...names: string[]): void {
    for (const name of names) this.queue.leave(this.#turns.get(name)!)
  }

  remove(name: string): boolean {
    return this.queue.remove(this.#turns.get(name)!)
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('FairQueue', () => {
  it('gives a tenant its share and leaves the rest to the others', () => {
    const office = new Office()
    expect(['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => office.enter(name))).toEqual([true, true, false, true, true])
    expect(office.queue.waiting).toBe(1)
    office.leave('b1')
    expect(office.told).toEqual([])
    office.leave('a1')
    expect(office.told).toEqual(['a3'])
  })

  it('gives an operation its share and leaves the rest to others of its tenant', () => {
    const office = new Office({ connectionsPerOperation: 1 })
    const operation = { running: 0 }
    expect(office.enter('a1', { operation })).toBe(true)
    expect(office.enter('a2', { operation })).toBe(false)
    expect(office.enter('a3')).toBe(true)
    office.leave('a3')
    expect(office.told).toEqual([])
    office.leave('a1')
    expect(office.told).toEqual(['a2'])
  })

  it('goes round the tenants, and within each starts who came first', () => {
    const office = new Office({ connections: 1 })
    office.enter('z1')
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) expect(office.enter(name)).toBe(false)
    for (const name of ['z1', 'a1', 'b1', 'c1', 'a2', 'b2']) office.leave(name)
    expect(office.told).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('lets no lookup wait behind a scan', () => {
    const office = new Office()
    expect(office.enter('a1', { needsLane: true })).toBe(true)
    expect(office.enter('a2', { needsLane: true })).toBe(false)
    expect(office.enter('a3')).toBe(true)
    office.leave('a3')
    expect(office.told).toEqual([])
    office.leave('a1')
    expect(office.told).toEqual(['a2'])
  })

  it('lets scans of all tenants take no more than the lane', () => {
    const office = new Office()
    expect(['a1', 'b1', 'c1'].map((name) => office.enter(name, { needsLane: true }))).toEqual([true, true, false])
    office.leave('a1')
    expect(office.told).toEqual(['c1'])
  })

  it('starts a scan in a transaction while others of the tenant wait for its connections', () => {
    const office = new Office()
    const operation = { running: 0 }
    for (const name of ['a1', 'a2']) office.enter(name, { operation })
    office.enter('b1', { needsLane: true })
    office.enter('c1', { needsLane: true })
    expect(office.enter('a3', { needsLane: true })).toBe(false)
    expect(office.enter('a4', { needsLane: true, needsConnection: false, operation })).toBe(false)
    office.leave('b1')
    expect(office.told).toEqual(['a4'])
  })

  it('refuses a tenant with too many waiting, and nobody else', () => {
    const office = new Office()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) office.enter(name)
    expect(() => office.enter('a6')).toThrow(QueueFull)
    expect(office.enter('b1')).toBe(true)
    office.leave('a1')
    expect(office.enter('a7')).toBe(false)
  })

  it('counts scans that wait for themselves', () => {
    const office = new Office()
    for (const name of ['a1', 'a2', 'a3']) office.enter(name, { needsLane: true })
    expect(() => office.enter('a4', { needsLane: true })).toThrow(QueueFull)
    expect(office.enter('a5')).toBe(true)
  })

  it('tells whoever waited too long, and gives it nothing later', () => {
    const office = new Office({ connections: 1 })
    office.enter('a1')
    office.enter('b1')
    vi.advanceTimersByTime(4_999)
    expect(office.told).toEqual([])
    vi.advanceTimersByTime(1)
    expect(office.told).toEqual(['b1 expired'])
    office.leave('a1')
    expect(office.told).toEqual(['b1 expired'])
    expect(office.queue.waiting).toBe(0)
  })

  it('forgets a turn that is taken out', () => {
    const office = new Office({ connections: 1 })
    office.enter('a1')
    office.enter('b1')
    office.enter('b2')
    expect(office.remove('b1')).toBe(true)
    expect(office.remove('b1')).toBe(false)
    expect(office.remove('a1')).toBe(false)
    office.leave('a1')
    expect(office.told).toEqual(['b2'])
  })
})
