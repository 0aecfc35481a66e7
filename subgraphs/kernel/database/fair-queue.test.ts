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
  readonly needsScanSlot?: boolean
  readonly operation?: { running: number }
}

class Office {
  readonly queue: FairQueue
  /** The outcomes of turns that waited, by name. */
  readonly told: string[] = []
  readonly #turns = new Map<string, Turn>()

  constructor(more: Partial<QueueLimits> = {}) {
    this.queue = new FairQueue({ ...limits, ...more })
  }

  /** `a1` is a turn of tenant `a`. True: it started at once. */
  enter(
    name: string,
    { needsConnection = true, needsScanSlot = false, operation = { running: 0 } }: Asked = {},
  ): boolean {
    const start = (): void => void this.told.push(name)
    const expire = (): void => void this.told.push(`${name} expired`)
    const turn: Turn = { tenant: name[0]!, needsConnection, needsScanSlot, operation, start, expire }
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
  it('limits a tenant to its share and leaves the rest to the others', () => {
    const office = new Office()
    expect(['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => office.enter(name))).toEqual([true, true, false, true, true])
    expect(office.queue.waiting).toBe(1)
    office.leave('b1')
    expect(office.told).toEqual([])
    office.leave('a1')
    expect(office.told).toEqual(['a3'])
  })

  it('limits an operation to its share and leaves the rest to other operations of its tenant', () => {
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

  it('serves tenants in turn, and each tenant in order of arrival', () => {
    const office = new Office({ connections: 1 })
    office.enter('z1')
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) expect(office.enter(name)).toBe(false)
    for (const name of ['z1', 'a1', 'b1', 'c1', 'a2', 'b2']) office.leave(name)
    expect(office.told).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('lets no lookup wait behind a scan', () => {
    const office = new Office()
    expect(office.enter('a1', { needsScanSlot: true })).toBe(true)
    expect(office.enter('a2', { needsScanSlot: true })).toBe(false)
    expect(office.enter('a3')).toBe(true)
    office.leave('a3')
    expect(office.told).toEqual([])
    office.leave('a1')
    expect(office.told).toEqual(['a2'])
  })

  it('limits the scans of all tenants together to the scan slots', () => {
    const office = new Office()
    expect(['a1', 'b1', 'c1'].map((name) => office.enter(name, { needsScanSlot: true }))).toEqual([true, true, false])
    office.leave('a1')
    expect(office.told).toEqual(['c1'])
  })

  it('starts a scan in a transaction while others of the tenant wait for its connections', () => {
    const office = new Office()
    const operation = { running: 0 }
    for (const name of ['a1', 'a2']) office.enter(name, { operation })
    office.enter('b1', { needsScanSlot: true })
    office.enter('c1', { needsScanSlot: true })
    expect(office.enter('a3', { needsScanSlot: true })).toBe(false)
    expect(office.enter('a4', { needsScanSlot: true, needsConnection: false, operation })).toBe(false)
    office.leave('b1')
    expect(office.told).toEqual(['a4'])
  })

  it('refuses a tenant with too many waiting turns, and no other tenant', () => {
    const office = new Office()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) office.enter(name)
    expect(() => office.enter('a6')).toThrow(QueueFull)
    expect(office.enter('b1')).toBe(true)
    office.leave('a1')
    expect(office.enter('a7')).toBe(false)
  })

  it('limits waiting scans separately', () => {
    const office = new Office()
    for (const name of ['a1', 'a2', 'a3']) office.enter(name, { needsScanSlot: true })
    expect(() => office.enter('a4', { needsScanSlot: true })).toThrow(QueueFull)
    expect(office.enter('a5')).toBe(true)
  })

  it('expires a turn that waited too long, and does not start it later', () => {
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

  it('does not start a turn that was removed', () => {
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
