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

interface HeldSlot extends ListenSlot {
  readonly organizationId: string
  readonly streamId: string
  readonly onLost: () => void
}

/** The rows of these streams, found by the primary key. */
const rowsOf = `unnest($1::uuid[], $2::uuid[]) as held (organization_id, stream_id)
  where s.organization_id = held.organization_id and s.stream_id = held.stream_id`

const idsOf = (slots: readonly HeldSlot[]): [string[], string[]] => [
  slots.map(({ organizationId }) => organizationId),
  slots.map(({ streamId }) => streamId),
]

/** Limits the streams of an organization over all processes: each stream leases a row, which its process renews. */
export class ListenSlots {
  readonly #held = new Set<HeldSlot>()
  /** Slots of streams that have ended, until their rows are deleted. */
  #ended: HeldSlot[] = []
  #deleting: Promise<void> | null = null
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
    throw new Refusal('STREAM_LIMIT_REACHED', message, { limit: listenersMax, retryAfter: 5 })
  }

  /** Renews the slots of this process. A slot that another stream has taken meanwhile is lost. */
  async renew(): Promise<void> {
    if (this.#ended.length > 0) void this.#deleteEnded()
    const held = [...this.#held]
    if (held.length === 0) return
    try {
      const renewed = await this.options.database.query<{ id: string }>(
        `update events.listen_slot s set until = now() + $3 * interval '1 millisecond'
         from ${rowsOf} returning s.stream_id as id`,
        [...idsOf(held), this.#leaseMs],
      )
      const kept = new Set(renewed.map(({ id }) => id))
      for (const { streamId, onLost } of held) if (!kept.has(streamId)) onLost()
    } catch (err) {
      this.options.log.warn({ err }, 'the slots of live streams could not be renewed; retrying')
    }
  }

  /** Waits until the slots of ended streams are free. */
  async close(): Promise<void> {
    clearInterval(this.#renewing)
    await this.#deleteEnded()
  }

  #slot(organizationId: string, streamId: string, onLost: () => void): ListenSlot {
    const release = (): void => {
      if (!this.#held.delete(slot)) return
      this.#ended.push(slot)
      void this.#deleteEnded()
    }
    const slot: HeldSlot = { organizationId, streamId, onLost, release }
    this.#held.add(slot)
    return slot
  }

  /** One statement at a time, for all streams that have ended meanwhile. */
  #deleteEnded(): Promise<void> {
    this.#deleting ??= this.#deleteAll().finally(() => (this.#deleting = null))
    return this.#deleting
  }

  async #deleteAll(): Promise<void> {
    while (this.#ended.length > 0) {
      const ended = this.#ended
      this.#ended = []
      try {
        await this.options.database.query(`delete from events.listen_slot s using ${rowsOf}`, idsOf(ended))
      } catch (err) {
        // They are tried again with the next renewal, and are free when their leases end.
        this.options.log.warn({ err }, 'the slots of live streams could not be released; retrying')
        this.#ended.push(...ended)
        return
      }
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
