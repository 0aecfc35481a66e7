import { Refusal } from '../../subgraphs/kernel/errors.ts'

export interface StreamLimits {
  /** Live streams of one organization, whatever they are sent through. */
  readonly perOrganization: number
  /** Of all organizations, in this process. */
  readonly all: number
}

export const streamLimits: StreamLimits = { perOrganization: 500, all: 4_000 }

/** How many live streams there are: subscriptions on websockets, and event streams over HTTP. */
export class StreamSlots {
  #all = 0
  readonly #byOrganization = new Map<string, number>()
  readonly #limits: StreamLimits

  constructor(limits: Partial<StreamLimits> = {}) {
    this.#limits = { ...streamLimits, ...limits }
  }

  get count(): number {
    return this.#all
  }

  /** Counts a stream until the function that it gives is called once. Throws a `Refusal` where there are too many. */
  take(organizationId: string): () => void {
    const { all, perOrganization } = this.#limits
    if ((this.#byOrganization.get(organizationId) ?? 0) >= perOrganization) {
      throw new Refusal('UNAVAILABLE', `At most ${perOrganization} streams of an organization are open at once.`, {
        limit: perOrganization,
        retryAfter: 5,
      })
    }
    if (this.#all >= all) throw new Refusal('UNAVAILABLE', 'Too many streams are open at once.', { retryAfter: 5 })
    this.#count(organizationId, 1)
    let isTaken = true
    return () => {
      if (isTaken) this.#count(organizationId, -1)
      isTaken = false
    }
  }

  #count(organizationId: string, change: 1 | -1): void {
    const count = (this.#byOrganization.get(organizationId) ?? 0) + change
    this.#all += change
    if (count === 0) this.#byOrganization.delete(organizationId)
    else this.#byOrganization.set(organizationId, count)
  }
}
