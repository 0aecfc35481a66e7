import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { noUserId, type Caller, type OperationContext } from '../context.ts'
import type { Sql } from '../database/sql.ts'
import { isId } from '../ids.ts'

/** How long it is known that a credential has named a field. */
export const fieldUsageDays = 90

/** How many names of queries are kept for a field and a credential; and how many a process notes in a day, so that new names are not written without end. */
export const fieldUsageQueriesMax = 20

/** SESSION: people who are signed in, all together. */
export type FieldUserKind = 'API_KEY' | 'OAUTH' | 'FUNCTION' | 'SESSION'

interface FieldUse {
  readonly organizationId: string
  readonly object: string
  readonly field: string
  readonly kind: FieldUserKind
  readonly id: string
  /** `2026-11-28` */
  readonly day: string
  /** The names of the queries of the day, newest first. */
  readonly queries: readonly string[]
}

const flushEveryMs = 2_000
/** Uses that a process remembers to have noted, by their memory: that of an entry, and that of each name. */
const notedBytesMax = 32_000_000
const entryBytes = 300
const nameBytes = 60
const pendingMax = 10_000

const bytesOf = ({ queries }: Pick<FieldUse, 'queries'>): number =>
  queries.reduce((bytes, { length }) => bytes + nameBytes + length, entryBytes)

/** Whoever names the fields; null for the platform, and for automations whose definitions say which fields they name. */
function userOf({ kind, credentialId, origin }: Caller): Pick<FieldUse, 'kind' | 'id'> | null {
  if (origin) return origin.kind === 'FUNCTION' ? { kind: 'FUNCTION', id: origin.id } : null
  // The platform also acts with ids of its own, such as that of a proposal.
  if (kind === 'API_KEY' || kind === 'OAUTH') return isId(credentialId) ? { kind, id: credentialId } : null
  return kind === 'SESSION' ? { kind, id: noUserId } : null
}

/**
 * Which custom fields the requests of credentials name, by the day, and in which queries. A use is noted in memory, once a day for each query in each process,
 * and written within two seconds. A killed process loses what it has not written.
 */
export class FieldUsage {
  readonly #noted = new LRUCache<string, Pick<FieldUse, 'day' | 'queries'>>({ maxSize: notedBytesMax })
  #pending = new Map<string, FieldUse>()
  #flushing: Promise<void> = Promise.resolve()
  readonly #timer: NodeJS.Timeout

  constructor(
    private readonly database: Sql,
    private readonly log: Pick<Logger, 'warn'>,
  ) {
    this.#timer = setInterval(() => void this.flush(), flushEveryMs).unref()
  }

  note(
    { caller, queryName }: Pick<OperationContext, 'caller' | 'queryName'>,
    object: string,
    fields: Iterable<string>,
    now: Date,
  ): void {
    const user = userOf(caller)
    if (!user) return
    const day = now.toISOString().slice(0, 10)
    for (const field of fields) {
      const key = [caller.organizationId, object, field, user.kind, user.id].join(' ')
      const noted = this.#noted.get(key)
      const queries = noted?.day === day ? noted.queries : null
      const isKnown =
        queryName === undefined || queries?.includes(queryName) || queries?.length === fieldUsageQueriesMax
      if ((queries && isKnown) || (this.#pending.size >= pendingMax && !this.#pending.has(key))) continue
      const use = { day, queries: queryName === undefined ? [] : [queryName, ...(queries ?? [])] }
      this.#noted.set(key, use, { size: bytesOf(use) })
      this.#pending.set(key, { organizationId: caller.organizationId, object, field, ...user, ...use })
    }
  }

  /** Writes what was noted. What could not be written is noted again when it is used again. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write())
    return this.#flushing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  async #write(): Promise<void> {
    const pending = this.#pending
    if (pending.size === 0) return
    this.#pending = new Map()
    // In the order of the keys, so that two processes cannot wait for each other.
    const uses = [...pending].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use)
    try {
      await this.database.query(
        `insert into kernel.field_usage as u (organization_id, object, field, credential_kind, credential_id, used_on, queries)
         select n."organizationId", n.object, n.field, n.kind, n.id, n.day, n.queries
         from jsonb_to_recordset($1::jsonb)
           n("organizationId" uuid, object text, field text, kind text, id uuid, day date, queries text[])
         on conflict (organization_id, object, field, credential_kind, credential_id) do update set
           used_on = greatest(u.used_on, excluded.used_on),
           queries = array(
             select q.name from unnest(excluded.queries || u.queries) with ordinality q(name, place)
             group by q.name order by min(q.place) limit ${fieldUsageQueriesMax})
           where u.used_on < excluded.used_on or not u.queries @> excluded.queries`,
        [JSON.stringify(uses)],
      )
    } catch (error) {
      this.log.warn({ err: error }, 'the usage of custom fields could not be written')
      for (const key of pending.keys()) this.#noted.delete(key)
    }
  }
}
