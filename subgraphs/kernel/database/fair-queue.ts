/** What waits: for a connection, for the lane of scans, or for both. */
export interface Turn {
  /** Between these the turns go round. */
  readonly tenant: string
  readonly needsConnection: boolean
  readonly needsLane: boolean
  /** Turns of one operation share this object. */
  readonly operation: { running: number }
  start(): void
  /** It waited too long. */
  expire(): void
}

export interface QueueLimits {
  readonly connections: number
  readonly connectionsPerTenant: number
  readonly connectionsPerOperation: number
  /** Statements that scan, in all. */
  readonly scans: number
  readonly scansPerTenant: number
  /** Turns of one tenant that may wait for a connection alone. */
  readonly waitingMax: number
  /** Turns of one tenant that may wait to scan. */
  readonly waitingScansMax: number
  readonly waitMs: number
}

interface Waiting {
  readonly turn: Turn
  /** In the order of arrival. */
  readonly number: number
  readonly timer: NodeJS.Timeout
}

interface Tenant {
  readonly name: string
  connections: number
  scans: number
  /** Lines by what is waited for, so that nobody waits behind a turn that needs more. */
  readonly lines: Record<Line, Waiting[]>
}

const allLines = ['connection', 'both', 'lane'] as const
type Line = (typeof allLines)[number]

const lineOf = ({ needsConnection, needsLane }: Turn): Line =>
  needsConnection ? (needsLane ? 'both' : 'connection') : 'lane'

/**
 * Shares the connections of a pool, and a narrow lane for statements that scan, between tenants: no tenant and no operation
 * holds more than its share, tenants take turns, and within a tenant the first comes first. A turn is given what it needs
 * at once and whole, so nobody holds a part of it while waiting for the rest.
 */
export class FairQueue {
  #connections = 0
  #scans = 0
  #arrivals = 0
  readonly #tenants = new Map<string, Tenant>()
  /** Tenants with somebody waiting; the first of them is next. */
  readonly #waiting = new Set<Tenant>()

  constructor(private readonly limits: QueueLimits) {}

  /**
   * True: the turn may start at once. Otherwise it waits until it is started or expires. Throws `QueueFull` when too many of
   * its tenant wait.
   */
  enter(turn: Turn): boolean {
    let tenant = this.#tenants.get(turn.tenant)
    if (!tenant) this.#tenants.set(turn.tenant, (tenant = aTenant(turn.tenant)))
    // Whoever waits could not start when something last became free, so a turn that can start overtakes nobody.
    if (this.#fits(tenant, turn)) {
      this.#take(tenant, turn)
      return true
    }
    const { waitingMax, waitingScansMax, waitMs } = this.limits
    const { lines } = tenant
    const isFull = turn.needsLane
      ? lines.both.length + lines.lane.length >= waitingScansMax
      : lines.connection.length >= waitingMax
    if (isFull) throw new QueueFull()
    const timer = setTimeout(() => {
      if (this.remove(turn)) turn.expire()
    }, waitMs)
    lines[lineOf(turn)].push({ turn, number: this.#arrivals++, timer })
    this.#waiting.add(tenant)
    return false
  }

  /** Gives back what a turn was given. */
  leave(turn: Turn): void {
    const tenant = this.#tenants.get(turn.tenant)!
    if (turn.needsConnection) {
      this.#connections--
      tenant.connections--
      turn.operation.running--
    }
    if (turn.needsLane) {
      this.#scans--
      tenant.scans--
    }
    if (this.#waiting.size > 0) this.#startAll()
    this.#forgetIdle(tenant)
  }

  /** Takes a turn out that waits; false when it waits no more. */
  remove(turn: Turn): boolean {
    const tenant = this.#tenants.get(turn.tenant)
    if (!tenant) return false
    const line = tenant.lines[lineOf(turn)]
    const index = line.findIndex((waiting) => waiting.turn === turn)
    if (index < 0) return false
    clearTimeout(line[index]!.timer)
    line.splice(index, 1)
    if (!waits(tenant)) this.#waiting.delete(tenant)
    this.#forgetIdle(tenant)
    return true
  }

  get waiting(): number {
    let count = 0
    for (const { lines } of this.#waiting) for (const line of allLines) count += lines[line].length
    return count
  }

  #fits(tenant: Tenant, { needsConnection, needsLane, operation }: Turn): boolean {
    const { limits } = this
    if (
      needsConnection &&
      (this.#connections >= limits.connections ||
        tenant.connections >= limits.connectionsPerTenant ||
        operation.running >= limits.connectionsPerOperation)
    )
      return false
    return !needsLane || (this.#scans < limits.scans && tenant.scans < limits.scansPerTenant)
  }

  #take(tenant: Tenant, turn: Turn): void {
    if (turn.needsConnection) {
      this.#connections++
      tenant.connections++
      turn.operation.running++
    }
    if (turn.needsLane) {
      this.#scans++
      tenant.scans++
    }
  }

  /** One turn of each tenant after the other, until nobody who waits can start. */
  #startAll(): void {
    for (let started = true; started;) {
      started = false
      for (const tenant of this.#waiting) {
        const next = this.#nextOf(tenant)
        if (!next) continue
        // To the end of the round.
        this.#waiting.delete(tenant)
        const line = tenant.lines[lineOf(next.turn)]
        line.splice(line.indexOf(next), 1)
        if (waits(tenant)) this.#waiting.add(tenant)
        clearTimeout(next.timer)
        this.#take(tenant, next.turn)
        next.turn.start()
        started = true
        break
      }
    }
  }

  /** The longest waiting turn that can start. */
  #nextOf(tenant: Tenant): Waiting | null {
    let next: Waiting | null = null
    for (const name of allLines) {
      const first = tenant.lines[name].find(({ turn }) => this.#fits(tenant, turn))
      if (first && (!next || first.number < next.number)) next = first
    }
    return next
  }

  #forgetIdle(tenant: Tenant): void {
    if (tenant.connections === 0 && tenant.scans === 0 && !waits(tenant)) this.#tenants.delete(tenant.name)
  }
}

export class QueueFull extends Error {}

const aTenant = (name: string): Tenant => ({
  name,
  connections: 0,
  scans: 0,
  lines: { connection: [], both: [], lane: [] },
})

const waits = ({ lines }: Tenant): boolean =>
  lines.connection.length > 0 || lines.both.length > 0 || lines.lane.length > 0
