/** What is known of a share of the work: an organization, or the people outside of it who cause work for it. */
interface Use {
  ms: number
  atMs: number
  /** Average time of its tasks. */
  taskMs: number
}

/** CPU time counts half after this time. */
const halfLifeMs = 30_000
/** The time of a task of a share of which none has ended yet. */
const unknownTaskMs = 100
/** A share that used less is forgotten. */
const forgottenMs = 1
const knownMax = 1000

/** The CPU time that each share used lately, and how long its tasks take. */
export class RecentUse {
  readonly #uses = new Map<string, Use>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  of(share: string): number {
    const use = this.#uses.get(share)
    return use ? use.ms * 0.5 ** ((this.#now() - use.atMs) / halfLifeMs) : 0
  }

  taskMsOf(share: string): number {
    return this.#uses.get(share)?.taskMs ?? unknownTaskMs
  }

  /** `ranMs`: how long the task occupied its thread. */
  add(share: string, cpuMs: number, ranMs: number): void {
    const taskMs = this.#uses.has(share) ? (this.taskMsOf(share) + ranMs) / 2 : ranMs
    const ms = this.of(share) + cpuMs
    this.#uses.set(share, { ms, atMs: this.#now(), taskMs })
    if (this.#uses.size > knownMax) this.#forget()
  }

  #forget(): void {
    for (const share of this.#uses.keys()) if (this.of(share) < forgottenMs) this.#uses.delete(share)
    // However many used a little, the memory is bounded.
    for (const share of this.#uses.keys()) if (this.#uses.size > 2 * knownMax) this.#uses.delete(share)
  }
}
