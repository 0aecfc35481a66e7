import type { Logger } from 'pino'
import type { ApiKeyRecord, DeprecatedCall, FinishedRequest, UsageSink } from '../../kernel/credentials/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { UsageCounts } from './usage-counts.ts'

export const flushEveryMs = 2000

interface KeyUsage {
  readonly organizationId: string
  requests: number
  hits: number
  deprecated: number
  ip: string | null
  at: Date
}

/**
 * Records usage without a write per request: it counts in memory and adds the counts to the tables every two seconds and on
 * `close`. A killed process loses only the counts since the last flush, at most two seconds.
 */
export class UsageBuffer implements UsageSink {
  #keys = new Map<string, KeyUsage>()
  #deprecated = new Map<string, DeprecatedCall & { calls: number }>()
  #counts = new UsageCounts()
  #flushing: Promise<void> = Promise.resolve()
  readonly #timer: NodeJS.Timeout

  constructor(
    private readonly database: Sql,
    private readonly log: Pick<Logger, 'warn'>,
  ) {
    this.#timer = setInterval(() => void this.flush(), flushEveryMs).unref()
  }

  used(key: ApiKeyRecord, ip: string, at: Date): void {
    const usage = this.#usageOf(key, at)
    usage.requests++
    usage.ip = ip
    usage.at = at
  }

  refused(key: ApiKeyRecord, at: Date): void {
    this.#usageOf(key, at).hits++
  }

  finished(request: FinishedRequest): void {
    this.#counts.add(request)
  }

  /** Implements `DeprecatedCalls` of the REST adapter. */
  record(call: DeprecatedCall): void {
    const { counted, operationId, at } = call
    if (counted.kind === 'API_KEY') this.#usageOf(counted, at).deprecated++
    const name = `${counted.organizationId}\n${counted.id}\n${operationId}\n${at.toISOString().slice(0, 10)}`
    const known = this.#deprecated.get(name)
    this.#deprecated.set(name, { ...call, calls: (known?.calls ?? 0) + 1 })
  }

  /** Writes the counts. When the write fails, the counts are kept for the next flush. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write())
    return this.#flushing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  #usageOf({ id, organizationId }: Pick<ApiKeyRecord, 'id' | 'organizationId'>, at: Date): KeyUsage {
    let usage = this.#keys.get(id)
    if (!usage) this.#keys.set(id, (usage = { organizationId, requests: 0, hits: 0, deprecated: 0, ip: null, at }))
    return usage
  }

  async #write(): Promise<void> {
    const keys = this.#keys
    const deprecated = this.#deprecated
    const counts = this.#counts
    if (keys.size === 0 && deprecated.size === 0 && counts.isEmpty) return
    this.#keys = new Map()
    this.#deprecated = new Map()
    this.#counts = new UsageCounts()
    try {
      await this.database.transaction(async (sql) => {
        await writeKeys(sql, keys)
        await writeDeprecated(sql, [...deprecated.values()])
        await counts.write(sql)
      })
    } catch (error) {
      this.log.warn({ err: error }, 'usage could not be written; it is kept for the next attempt')
      this.#restore(keys, deprecated)
      this.#counts.addAll(counts)
    }
  }

  #restore(keys: Map<string, KeyUsage>, deprecated: Map<string, DeprecatedCall & { calls: number }>): void {
    for (const [id, unwritten] of keys) {
      const usage = this.#keys.get(id)
      if (usage) {
        usage.requests += unwritten.requests
        usage.hits += unwritten.hits
        usage.deprecated += unwritten.deprecated
      } else this.#keys.set(id, unwritten)
    }
    for (const [name, unwritten] of deprecated) {
      const call = this.#deprecated.get(name) ?? { ...unwritten, calls: 0 }
      this.#deprecated.set(name, { ...call, calls: call.calls + unwritten.calls })
    }
  }
}

async function writeKeys(sql: Sql, keys: Map<string, KeyUsage>): Promise<void> {
  if (keys.size === 0) return
  // In the order of the ids, so that two processes cannot deadlock.
  const rows = [...keys].sort(([a], [b]) => (a < b ? -1 : 1))
  await sql.query(
    `update identity.api_key k set
       request_count = k.request_count + u.requests,
       rate_limit_hits = k.rate_limit_hits + u.hits,
       deprecated_calls = k.deprecated_calls + u.deprecated,
       last_used_at = case when u.requests > 0 then greatest(k.last_used_at, u.at) else k.last_used_at end,
       last_used_ip = coalesce(u.ip, k.last_used_ip)
     from (select * from unnest($1::uuid[], $2::uuid[], $3::int8[], $4::int8[], $5::int8[], $6::text[], $7::timestamptz[])
       as u(organization_id, id, requests, hits, deprecated, ip, at) order by id) u
     where k.organization_id = u.organization_id and k.id = u.id`,
    [
      rows.map(([, { organizationId }]) => organizationId),
      rows.map(([id]) => id),
      rows.map(([, { requests }]) => requests),
      rows.map(([, { hits }]) => hits),
      rows.map(([, { deprecated }]) => deprecated),
      rows.map(([, { ip }]) => ip),
      rows.map(([, { at }]) => at.toISOString()),
    ],
  )
}

async function writeDeprecated(sql: Sql, calls: readonly (DeprecatedCall & { calls: number })[]): Promise<void> {
  for (const { counted, operationId, endpoint, sunset, at, calls: count } of calls) {
    const { organizationId, kind, id, userId } = counted
    await sql.query(
      `insert into identity.deprecated_call as d
         (organization_id, credential_kind, credential_id, user_id, operation_id, endpoint, sunset_on, day, calls, last_at)
       values ($1, $2, $3, $4, $5, $6, $7::timestamptz::date, $8::timestamptz::date, $9, $8)
       on conflict (organization_id, credential_kind, credential_id, operation_id, day)
       do update set calls = d.calls + excluded.calls, last_at = greatest(d.last_at, excluded.last_at),
         endpoint = excluded.endpoint, sunset_on = excluded.sunset_on`,
      [organizationId, kind, id, userId, operationId, endpoint, sunset.toISOString(), at.toISOString(), count],
    )
  }
}
