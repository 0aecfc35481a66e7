import { Refusal } from '../../subgraphs/kernel/errors.ts'

export interface StreamLimits {
  /** Live streams of one organization over all transports. */
  readonly perOrganization: number
  /** Live streams of all organizations in this process. */
  readonly all: number
}

export const streamLimits: StreamLimits = { perOrganization: 500, all: 4_000 }

/** Counts and limits live streams: subscriptions on websockets, and event streams over HTTP. */
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

  /** Counts a stream until the returned function is called. Throws a `Refusal` if a limit is reached. */
  take(organizationId: string): () => void {
    const { all, perOrganization } = this.#limits
    if ((this.#byOrganization.get(organizationId) ?? 0) >= perOrganization) {
      const message = `Limit of ${perOrganization} open streams of the organization reached; close one, then retry in 5 s.`
      throw new Refusal('STREAM_LIMIT_REACHED', message, { limit: perOrganization, retryAfter: 5 })
    }
    if (this.#all >= all) {
      throw new Refusal('UNAVAILABLE', `Limit of ${all} open streams of the server reached; retry in 5 s.`, {
        retryAfter: 5,
      })
    }
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
