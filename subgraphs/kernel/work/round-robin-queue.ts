export interface QueueBounds {
  readonly waitingMax: number
  readonly waitingPerOrganizationMax: number
}

interface Waiting {
  readonly organizationId: string
}

/** A bounded queue that serves organizations in turn, so that an organization with many items delays only its own. */
export class RoundRobinQueue<T extends Waiting> {
  /** In the order in which organizations are served. */
  readonly #byOrganization = new Map<string, Set<T>>()
  readonly #bounds: QueueBounds
  #size = 0

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#size
  }

  /** False when the queue is full, in total or for this organization. */
  add(item: T): boolean {
    const items = this.#byOrganization.get(item.organizationId)
    if (this.#size >= this.#bounds.waitingMax || (items?.size ?? 0) >= this.#bounds.waitingPerOrganizationMax)
      return false
    this.#size += 1
    if (items) items.add(item)
    else this.#byOrganization.set(item.organizationId, new Set([item]))
    return true
  }

  /**
   * Removes and returns the oldest item of the organization with the least use for which `isAllowed` is true; among equals, of the next one.
   */
  take(isAllowed: (organizationId: string) => boolean, useOf: (organizationId: string) => number = () => 0): T | null {
    let next: string | null = null
    let least = Infinity
    for (const organizationId of this.#byOrganization.keys()) {
      if (!isAllowed(organizationId)) continue
      const use = useOf(organizationId)
      if (use < least) {
        next = organizationId
        least = use
      }
      if (least === 0) break
    }
    if (next === null) return null
    const items = this.#byOrganization.get(next)!
    const [item] = items as Set<T> & Iterable<T, undefined>
    this.#byOrganization.delete(next)
    this.#byOrganization.set(next, items)
    this.remove(item!)
    return item!
  }

  /** The organizations with items. */
  get organizations(): readonly string[] {
    return [...this.#byOrganization.keys()]
  }

  countOf(organizationId: string): number {
    return this.#byOrganization.get(organizationId)?.size ?? 0
  }

  remove(item: T): boolean {
    const items = this.#byOrganization.get(item.organizationId)
    if (!items?.delete(item)) return false
    this.#size -= 1
    if (items.size === 0) this.#byOrganization.delete(item.organizationId)
    return true
  }

  /** Removes and returns all items. */
  takeAll(): T[] {
    const all = [...this.#byOrganization.values()].flatMap((items) => [...items])
    this.#byOrganization.clear()
    this.#size = 0
    return all
  }
}
