import type { Logger } from 'pino'
import type { Sql } from '../../kernel/database/sql.ts'
import type { Tenancy } from '../../kernel/database/tenant-database.ts'
import { Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { listenersMax } from './listen-limits.ts'

export interface ListenSlotsOptions {
  readonly database: Sql
  readonly tenants: Tenancy
  readonly log: Pick<Logger, 'warn'>
  /** How long a slot stays taken without a renewal. */
  readonly leaseMs?: number
  readonly renewMs?: number
}

/** The place of one stream among those of its organization. */
export interface ListenSlot {
  release(): void
}

/** Two streams may take the same free slot at the same time; the second one then tries the next. */
const attemptsMax = listenersMax + 1

/** Limits the streams of an organization over all processes: each stream leases a row, which its process renews. */
export class ListenSlots {
  readonly #held = new Map<string, () => void>()
  readonly #releasing = new Set<Promise<unknown>>()
  readonly #leaseMs: number
  readonly #renewing: NodeJS.Timeout

  constructor(private readonly options: ListenSlotsOptions) {
    this.#leaseMs = options.leaseMs ?? 45_000
    this.#renewing = setInterval(() => void this.renew(), options.renewMs ?? 15_000)
    this.#renewing.unref()
  }

  /** Rejects with a `Refusal` when all slots are taken. `onLost` is called if another stream got the slot. */
  async take(organizationId: string, onLost: () => void): Promise<ListenSlot> {
    const streamId = newId()
    const database = this.options.tenants.of(organizationId)
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const taken = await database.query(
        `insert into events.listen_slot as s (organization_id, slot, stream_id, until)
         select $1, free.slot, $2, now() + $3 * interval '1 millisecond'
         from generate_series(1, $4::int) as free (slot)
         where not exists (
           select from events.listen_slot t where t.organization_id = $1 and t.slot = free.slot and t.until > now()
         )
         order by free.slot limit 1
         on conflict (organization_id, slot) do update set stream_id = excluded.stream_id, until = excluded.until
           where s.until <= now()
         returning slot`,
        [organizationId, streamId, this.#leaseMs, listenersMax],
        'WRITE',
      )
      if (taken.length > 0) return this.#slot(organizationId, streamId, onLost)
      if ((await openListeners(database, organizationId)) >= listenersMax) break
    }
    const message = `Limit of ${listenersMax} live streams of the organization reached; close one, then retry in 5 s.`
    throw new Refusal('UNAVAILABLE', message, { limit: listenersMax, retryAfter: 5 })
  }

  /** Renews the slots of this process. A slot that another stream has taken meanwhile is lost. */
  async renew(): Promise<void> {
    const ids = [...this.#held.keys()]
    if (ids.length === 0) return
    try {
      const renewed = await this.options.database.query<{ id: string }>(
        `update events.listen_slot set until = now() + $2 * interval '1 millisecond'
         where stream_id = any($1::uuid[]) returning stream_id as id`,
        [ids, this.#leaseMs],
      )
      const kept = new Set(renewed.map(({ id }) => id))
      for (const id of ids) if (!kept.has(id)) this.#held.get(id)?.()
    } catch (err) {
      this.options.log.warn({ err }, 'the slots of live streams could not be renewed; retrying')
    }
  }

  /** Waits until the released slots are free. */
  async close(): Promise<void> {
    clearInterval(this.#renewing)
    await Promise.allSettled(this.#releasing)
  }

  #slot(organizationId: string, streamId: string, onLost: () => void): ListenSlot {
    this.#held.set(streamId, onLost)
    return {
      release: () => {
        if (!this.#held.delete(streamId)) return
        const released = this.options.tenants
          .of(organizationId)
          .query('delete from events.listen_slot where organization_id = $1 and stream_id = $2', [
            organizationId,
            streamId,
          ])
          // The slot is free when its lease ends.
          .catch((err: unknown) => this.options.log.warn({ err }, 'the slot of a live stream could not be released'))
          .finally(() => this.#releasing.delete(released))
        this.#releasing.add(released)
      },
    }
  }
}

/** The live streams of an organization over all processes. */
export async function openListeners(database: Sql, organizationId: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'select count(*)::int as count from events.listen_slot where organization_id = $1 and until > now()',
    [organizationId],
  )
  return row!.count
}
