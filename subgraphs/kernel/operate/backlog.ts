import { Gauge } from 'prom-client'
import type { Sql } from '../database/sql.ts'
import type { Queue } from '../queue/queue.ts'

/** At most this many rows are read to measure one queue. */
const rowsMax = 100_000
const measuredForMs = 5_000

interface Backlog {
  readonly queue: string
  readonly fresh: number
  readonly retry: number
  /** Age of the oldest due item in seconds; null when none is due. */
  readonly lag: number | null
}

/** A table with the columns of a queue. */
export type MeasuredQueue = Pick<Queue, 'name' | 'table'>

const measured = `select count(*) filter (where attempts = 0)::int as fresh, count(*) filter (where attempts > 0)::int as retry,
  extract(epoch from statement_timestamp() - min(due) filter (where due <= statement_timestamp()))::float8 as lag`

/** Leased items are not due before their lease ends. */
const queueSql = (table: string): string =>
  `${measured} from (select attempts, next_attempt_at as due from ${table} where state = 'QUEUED' limit ${rowsMax}) item`

/** Events that have no position yet, so that no subscriber has got them. */
const eventsSql = `${measured} from (select 0 as attempts, occurred_at as due from kernel.event_pending limit ${rowsMax}) item`

const measurements = new Set<() => Promise<readonly Backlog[]>>()
const measureAll = async (): Promise<readonly Backlog[]> =>
  (await Promise.all(Array.from(measurements, (measure) => measure()))).flat()

new Gauge({
  name: 'crm_queue_items',
  help: `Items that wait in a queue, counted up to ${rowsMax}: fresh, or to be retried. "events" waits for positions in the event log.`,
  labelNames: ['queue', 'lane'],
  async collect() {
    const backlogs = await measureAll()
    this.reset()
    for (const { queue, fresh, retry } of backlogs) {
      this.set({ queue, lane: 'fresh' }, fresh)
      this.set({ queue, lane: 'retry' }, retry)
    }
  },
})

new Gauge({
  name: 'crm_queue_lag_seconds',
  help: 'How long the oldest due item of a queue has been due; 0 when none is due.',
  labelNames: ['queue'],
  async collect() {
    const backlogs = await measureAll()
    this.reset()
    for (const { queue, lag } of backlogs) this.set({ queue }, lag ?? 0)
  },
})

/**
 * Adds the depth and the lag of the queues to the metrics of this process, measured at most every five seconds. While the database
 * does not answer, the metrics are absent. Returns a function that removes them.
 */
export function measureBacklog(database: Sql, queues: readonly MeasuredQueue[]): () => void {
  const measure = async (): Promise<readonly Backlog[]> => {
    const statements = [...queues.map(({ name, table }) => [name, queueSql(table)]), ['events', eventsSql]] as const
    const rows = await Promise.all(
      statements.map(async ([queue, sql]) => {
        const [row] = await database.query<Omit<Backlog, 'queue'>>(sql!)
        return { queue: queue!, ...row! }
      }),
    )
    return rows
  }
  let latest: { readonly at: number; readonly backlog: Promise<readonly Backlog[]> } | null = null
  const cached = (): Promise<readonly Backlog[]> => {
    const now = performance.now()
    if (!latest || now - latest.at > measuredForMs) latest = { at: now, backlog: measure().catch(() => []) }
    return latest.backlog
  }
  measurements.add(cached)
  return () => void measurements.delete(cached)
}
