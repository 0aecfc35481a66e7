/** A request to the pool for a connection, a scan slot, or both. A scan slot is the permission to run one statement that scans. */
export interface PoolRequest {
  /** The queue serves tenants in turn (round robin). */
  readonly tenant: string
  readonly needsConnection: boolean
  readonly needsScanSlot: boolean
  /** All requests of one operation share this object, which counts their connections. */
  readonly operation: { running: number }
  /** Called when the request gets its connection or scan slot after waiting. */
  start(): void
  /** Called when the request has waited longer than `waitMs`; `isOwnLoad`: because of other requests of its tenant. */
  expire(isOwnLoad: boolean): void
}

export interface QueueLimits {
  readonly connections: number
  readonly connectionsPerTenant: number
  readonly connectionsPerOperation: number
  /** Scan slots of all tenants together. */
  readonly scans: number
  readonly scansPerTenant: number
  /** Maximum requests of one tenant that wait for a connection without a scan slot. */
  readonly waitingMax: number
  /** Maximum requests of one tenant that wait for a scan slot. */
  readonly waitingScansMax: number
  readonly waitMs: number
}

interface Waiting {
  readonly request: PoolRequest
  /** Order of arrival. */
  readonly number: number
  readonly timer: NodeJS.Timeout
}

interface Tenant {
  readonly name: string
  connections: number
  scans: number
  /** How many of its requests began after waiting. */
  begun: number
  /** One queue for each combination of needs, so that no request waits behind one that needs more. */
  readonly queues: Record<QueueName, Waiting[]>
}

type Needs = Pick<PoolRequest, 'needsConnection' | 'needsScanSlot'>

const queueNames = ['connection', 'both', 'scanSlot'] as const
type QueueName = (typeof queueNames)[number]

const needsOf: Readonly<Record<QueueName, Needs>> = {
  connection: { needsConnection: true, needsScanSlot: false },
  both: { needsConnection: true, needsScanSlot: true },
  scanSlot: { needsConnection: false, needsScanSlot: true },
}

const queueOf = ({ needsConnection, needsScanSlot }: PoolRequest): QueueName =>
  needsConnection ? (needsScanSlot ? 'both' : 'connection') : 'scanSlot'

/**
 * Shares the connections of a pool, and a smaller number of scan slots, between tenants. No tenant and no operation holds more
 * than its share; tenants are served in turn, and the requests of one tenant in order of arrival. A request gets everything it needs at
 * once, so no request holds a part while it waits for the rest.
 */
export class FairQueue {
  #connections = 0
  #scans = 0
  #arrivals = 0
  readonly #tenants = new Map<string, Tenant>()
  /** Tenants with waiting requests; the first tenant is served next. */
  readonly #waiting = new Set<Tenant>()

  constructor(private readonly limits: QueueLimits) {}

  /**
   * True: granted at once. False: the request waits until `start` or `expire` is called. Throws `QueueFull` when too many requests of its
   * tenant are waiting.
   */
  acquire(request: PoolRequest): boolean {
    let tenant = this.#tenants.get(request.tenant)
    if (!tenant) this.#tenants.set(request.tenant, (tenant = newTenant(request.tenant)))
    // Waiting requests did not fit when capacity was last released, so a new request that fits overtakes none that could start.
    if (this.#fits(tenant, request)) {
      this.#take(tenant, request)
      return true
    }
    const { waitingMax, waitingScansMax, waitMs } = this.limits
    const { queues } = tenant
    const isFull = request.needsScanSlot
      ? queues.both.length + queues.scanSlot.length >= waitingScansMax
      : queues.connection.length >= waitingMax
    if (isFull) throw new QueueFull()
    const { begun } = tenant
    const timer = setTimeout(() => {
      const isOwnLoad = tenant.begun > begun || !this.#fitsShare(tenant, request)
      if (this.remove(request)) request.expire(isOwnLoad)
    }, waitMs)
    queues[queueOf(request)].push({ request, number: this.#arrivals++, timer })
    this.#waiting.add(tenant)
    return false
  }

  /** Releases what the request holds, and starts waiting requests that fit. */
  release(request: PoolRequest): void {
    const tenant = this.#tenants.get(request.tenant)!
    if (request.needsConnection) {
      this.#connections--
      tenant.connections--
      request.operation.running--
    }
    if (request.needsScanSlot) {
      this.#scans--
      tenant.scans--
    }
    if (this.#waiting.size > 0) this.#startAll()
    this.#forgetIdle(tenant)
  }

  /** Removes a waiting request; false when it is no longer waiting. */
  remove(request: PoolRequest): boolean {
    const tenant = this.#tenants.get(request.tenant)
    if (!tenant) return false
    const queue = tenant.queues[queueOf(request)]
    const index = queue.findIndex((waiting) => waiting.request === request)
    if (index < 0) return false
    clearTimeout(queue[index]!.timer)
    queue.splice(index, 1)
    if (!isWaiting(tenant)) this.#waiting.delete(tenant)
    this.#forgetIdle(tenant)
    return true
  }

  get waiting(): number {
    let count = 0
    for (const { queues } of this.#waiting) for (const name of queueNames) count += queues[name].length
    return count
  }

  #fits(tenant: Tenant, request: PoolRequest): boolean {
    return this.#hasFree(tenant, request) && this.#fitsOperation(request)
  }

  /** Whether the tenant and the operation hold less than they may, whatever others hold. */
  #fitsShare(tenant: Tenant, request: PoolRequest): boolean {
    const { connectionsPerTenant, scansPerTenant } = this.limits
    if (request.needsConnection && tenant.connections >= connectionsPerTenant) return false
    return (!request.needsScanSlot || tenant.scans < scansPerTenant) && this.#fitsOperation(request)
  }

  /** Whether the tenant may have what the request needs. */
  #hasFree(tenant: Tenant, { needsConnection, needsScanSlot }: Needs): boolean {
    const { limits } = this
    if (needsConnection) {
      if (this.#connections >= limits.connections || tenant.connections >= limits.connectionsPerTenant) return false
    }
    return !needsScanSlot || (this.#scans < limits.scans && tenant.scans < limits.scansPerTenant)
  }

  #fitsOperation({ needsConnection, operation }: PoolRequest): boolean {
    return !needsConnection || operation.running < this.limits.connectionsPerOperation
  }

  #take(tenant: Tenant, request: PoolRequest): void {
    if (request.needsConnection) {
      this.#connections++
      tenant.connections++
      request.operation.running++
    }
    if (request.needsScanSlot) {
      this.#scans++
      tenant.scans++
    }
  }

  /** Starts one request of each tenant in turn, until no waiting request fits. */
  #startAll(): void {
    for (let started = true; started;) {
      started = false
      for (const tenant of this.#waiting) {
        const next = this.#nextOf(tenant)
        if (!next) continue
        // Moves the tenant to the end of the round.
        this.#waiting.delete(tenant)
        const queue = tenant.queues[queueOf(next.request)]
        queue.splice(queue.indexOf(next), 1)
        if (isWaiting(tenant)) this.#waiting.add(tenant)
        clearTimeout(next.timer)
        this.#take(tenant, next.request)
        tenant.begun++
        next.request.start()
        started = true
        break
      }
    }
  }

  /** The request of the tenant that has waited longest among those that can start. */
  #nextOf(tenant: Tenant): Waiting | null {
    let next: Waiting | null = null
    for (const name of queueNames) {
      if (!this.#hasFree(tenant, needsOf[name])) continue
      const first = tenant.queues[name].find(({ request }) => this.#fitsOperation(request))
      if (first && (!next || first.number < next.number)) next = first
    }
    return next
  }

  #forgetIdle(tenant: Tenant): void {
    if (tenant.connections === 0 && tenant.scans === 0 && !isWaiting(tenant)) this.#tenants.delete(tenant.name)
  }
}

export class QueueFull extends Error {}

const newTenant = (name: string): Tenant => ({
  name,
  connections: 0,
  scans: 0,
  begun: 0,
  queues: { connection: [], both: [], scanSlot: [] },
})

const isWaiting = ({ queues }: Tenant): boolean =>
  queues.connection.length > 0 || queues.both.length > 0 || queues.scanSlot.length > 0
