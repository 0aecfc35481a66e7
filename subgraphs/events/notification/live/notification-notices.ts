import type { Logger } from 'pino'
import { Listener } from '../../../kernel/database/listen.ts'
import { notificationsChannel } from '../create/notification-rows.ts'

/** Tells the subscribers in this process about new notifications, also those that another process has created. */
export class NotificationNotices {
  readonly #wakes = new Map<string, Set<() => void>>()
  #listener: Promise<Listener> | null = null

  constructor(
    private readonly databaseUrl: string,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Calls `wake` after new notifications of the user were committed, and sometimes without any, until the returned function is called.
   * LISTEN starts with the first subscriber.
   */
  async watch(organizationId: string, userId: string, wake: () => void): Promise<() => void> {
    const key = listenerKeyOf(organizationId, userId)
    const wakes = this.#wakes.get(key) ?? new Set()
    this.#wakes.set(key, wakes.add(wake))
    const leave = (): void => {
      wakes.delete(wake)
      if (wakes.size === 0 && this.#wakes.get(key) === wakes) this.#wakes.delete(key)
    }
    try {
      await (this.#listener ??= this.#listen())
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  async close(): Promise<void> {
    this.#wakes.clear()
    await (await this.#listener)?.close()
  }

  #listen(): Promise<Listener> {
    const notified = (payload: string): void => {
      const [organizationId, ...userIds] = payload.split(',')
      for (const userId of userIds) this.#wake(this.#wakes.get(listenerKeyOf(organizationId!, userId)))
    }
    // Notices that were sent while the connection was lost were missed.
    return Listener.open(this.databaseUrl, notificationsChannel, notified, this.log, () => {
      for (const wakes of this.#wakes.values()) this.#wake(wakes)
    })
  }

  #wake(wakes: ReadonlySet<() => void> | undefined): void {
    for (const wake of wakes ?? []) wake()
  }
}

const listenerKeyOf = (organizationId: string, userId: string): string => `${organizationId} ${userId}`
