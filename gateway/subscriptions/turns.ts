/** Lets at most `max` pieces of work of one organization run at once; the others wait, first come first served. */
export class Turns {
  readonly #running = new Map<string, { count: number; readonly waiting: (() => void)[] }>()

  constructor(private readonly max: number) {}

  async run<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const own = this.#running.get(organizationId) ?? { count: 0, waiting: [] }
    this.#running.set(organizationId, own)
    if (own.count < this.max) own.count++
    else await new Promise<void>((resolve) => own.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = own.waiting.shift()
      if (next) next()
      else if (--own.count === 0) this.#running.delete(organizationId)
    }
  }
}
