/** Runs at most `max` tasks of one organization at the same time. Further tasks wait and start in the order of their calls. */
export class ConcurrencyLimiter {
  readonly #byOrganization = new Map<string, { running: number; readonly waiting: (() => void)[] }>()

  constructor(private readonly max: number) {}

  async run<T>(organizationId: string, task: () => Promise<T>): Promise<T> {
    const tasks = this.#byOrganization.get(organizationId) ?? { running: 0, waiting: [] }
    this.#byOrganization.set(organizationId, tasks)
    if (tasks.running < this.max) tasks.running++
    else await new Promise<void>((resolve) => tasks.waiting.push(resolve))
    try {
      return await task()
    } finally {
      const startNext = tasks.waiting.shift()
      if (startNext) startNext()
      else if (--tasks.running === 0) this.#byOrganization.delete(organizationId)
    }
  }
}
