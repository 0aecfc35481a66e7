export interface QueueBounds {
  readonly waitingMax: number
  readonly waitingOfOneMax: number
}

interface Waiting {
  readonly organizationId: string
}

/** What waits, organization by organization in turn: one that sends much waits for itself. */
export class RoundRobinQueue<T extends Waiting> {
  /** In the order in which they have their turn. */
  readonly #byOrganization = new Map<string, Set<T>>()
  readonly #bounds: QueueBounds
  #size = 0

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  /** False when there is no more room, in all or for this organization. */
  add(item: T): boolean {
    const own = this.#byOrganization.get(item.organizationId)
    if (this.#size >= this.#bounds.waitingMax || (own?.size ?? 0) >= this.#bounds.waitingOfOneMax) return false
    this.#size += 1
    if (own) own.add(item)
    else this.#byOrganization.set(item.organizationId, new Set([item]))
    return true
  }

  /** The next item of the first organization in turn that may have one. */
  take(mayHave: (organizationId: string) => boolean): T | null {
    for (const [organizationId, own] of this.#byOrganization) {
      if (!mayHave(organizationId)) continue
      const [item] = own as Set<T> & Iterable<T, undefined>
      this.#byOrganization.delete(organizationId)
      this.#byOrganization.set(organizationId, own)
      this.remove(item!)
      return item!
    }
    return null
  }

  remove(item: T): boolean {
    const own = this.#byOrganization.get(item.organizationId)
    if (!own?.delete(item)) return false
    this.#size -= 1
    if (own.size === 0) this.#byOrganization.delete(item.organizationId)
    return true
  }

  /** Empties it. */
  takeAll(): T[] {
    const all = [...this.#byOrganization.values()].flatMap((own) => [...own])
    this.#byOrganization.clear()
    this.#size = 0
    return all
  }
}
