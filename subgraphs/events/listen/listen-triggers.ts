import type { Logger } from 'pino'
import { Listener } from '../../kernel/database/listen.ts'
import type { Sql } from '../../kernel/database/sql.ts'

/** A sample that an organization sends to its live streams. Every process builds the same envelope from it. */
export interface Triggered {
  readonly organizationId: string
  readonly type: string
  readonly eventId: string
  /** ISO 8601, UTC. */
  readonly occurredAt: string
}

const channel = 'listen_triggered'

/** Tells the processes of all live streams. It is sent by the database, so it needs no Redis. */
export async function sendTrigger(db: Sql, triggered: Triggered): Promise<void> {
  await db.query(`select pg_notify('${channel}', $1)`, [JSON.stringify(triggered)])
}

type Receive = (triggered: Triggered) => void

/** Receives the triggers of all processes. LISTEN starts with the first stream. */
export class ListenTriggers {
  readonly #receivers = new Map<string, Set<Receive>>()
  #listener: Promise<Listener> | null = null

  constructor(
    private readonly databaseUrl: string,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Resolves when triggers are received. The returned function ends that. */
  async receive(organizationId: string, receive: Receive): Promise<() => void> {
    this.#listener ??= Listener.open(this.databaseUrl, channel, (message) => this.#received(message), this.log)
    await this.#listener
    const receivers = this.#receivers.get(organizationId) ?? new Set()
    this.#receivers.set(organizationId, receivers.add(receive))
    return () => {
      receivers.delete(receive)
      if (receivers.size === 0 && this.#receivers.get(organizationId) === receivers) {
        this.#receivers.delete(organizationId)
      }
    }
  }

  async close(): Promise<void> {
    this.#receivers.clear()
    await (await this.#listener)?.close()
  }

  #received(message: string): void {
    const triggered = JSON.parse(message) as Triggered
    for (const receive of this.#receivers.get(triggered.organizationId) ?? []) receive(triggered)
  }
}
