import type { FinishedRequest } from '../../kernel/credentials/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { latencyBounds, latencyBucketOf } from '../../kernel/values/latency.ts'

const hourMs = 3_600_000
/** Columns of `identity.usage_hour`, in the order of the array `counts`. */
export const usageColumns = [
  'requests',
  'rate_limit_hits',
  'status_2xx',
  'status_3xx',
  'status_4xx',
  'status_5xx',
  ...latencyBounds.map((bound) => `le_${bound}` as const),
] as const
const firstStatus = usageColumns.indexOf('status_2xx')
const firstLatency = usageColumns.length - latencyBounds.length

interface Bucket {
  readonly organizationId: string
  readonly kind: string
  readonly counts: Float64Array
}

/** Request counts by hour, credential and operation. Nested maps avoid building a key for each request. */
export class UsageCounts {
  #hours = new Map<number, Map<string, Map<string, Bucket>>>()

  get isEmpty(): boolean {
    return this.#hours.size === 0
  }

  add({ counted, operation, status, durationMs, isRateLimited, at }: FinishedRequest): void {
    const hour = at.getTime() - (at.getTime() % hourMs)
    const { counts } = this.#bucket(hour, counted.id, operation, counted.organizationId, counted.kind)
    counts[0]!++
    if (isRateLimited) counts[1]!++
    counts[firstStatus + Math.min(Math.max(Math.floor(status / 100), 2), 5) - 2]!++
    counts[firstLatency + latencyBucketOf(durationMs)]!++
  }

  /** Adds the counts of another object. */
  addAll(other: UsageCounts): void {
    for (const [hour, id, operation, { organizationId, kind, counts }] of other.#entries()) {
      const bucket = this.#bucket(hour, id, operation, organizationId, kind)
      counts.forEach((count, index) => (bucket.counts[index]! += count))
    }
  }

  /** Adds the counts to the table, in the order of the primary key, so that two processes cannot deadlock. */
  async write(sql: Sql): Promise<void> {
    if (this.isEmpty) return
    const rows = Array.from(this.#entries(), ([hour, id, operation, { organizationId, kind, counts }]) => ({
      organization_id: organizationId,
      hour: new Date(hour).toISOString(),
      credential_kind: kind,
      credential_id: id,
      operation,
      ...Object.fromEntries(usageColumns.map((name, index) => [name, counts[index]])),
    }))
    await sql.query(
      `insert into identity.usage_hour as u
       select * from jsonb_populate_recordset(null::identity.usage_hour, $1::jsonb)
       order by organization_id, credential_kind, credential_id, hour, operation
       on conflict (organization_id, credential_kind, credential_id, hour, operation)
       do update set ${usageColumns.map((name) => `${name} = u.${name} + excluded.${name}`).join(', ')}`,
      [JSON.stringify(rows)],
    )
  }

  #bucket(hour: number, id: string, operation: string, organizationId: string, kind: string): Bucket {
    let credentials = this.#hours.get(hour)
    if (!credentials) this.#hours.set(hour, (credentials = new Map()))
    // Ids of users and keys belong to one organization; an app is used in several organizations.
    const name = kind === 'OAUTH_APP' ? `${id} ${organizationId}` : id
    let operations = credentials.get(name)
    if (!operations) credentials.set(name, (operations = new Map()))
    let bucket = operations.get(operation)
    if (!bucket)
      operations.set(operation, (bucket = { organizationId, kind, counts: new Float64Array(usageColumns.length) }))
    return bucket
  }

  *#entries(): Generator<[number, string, string, Bucket]> {
    for (const [hour, credentials] of this.#hours) {
      for (const [name, operations] of credentials) {
        for (const [operation, bucket] of operations) yield [hour, name.split(' ', 1)[0]!, operation, bucket]
      }
    }
  }
}
