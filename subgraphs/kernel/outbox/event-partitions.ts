import { Gauge } from 'prom-client'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../request.ts'

const dayMs = 86_400_000
const monthsAhead = 3
/** Other statements queue behind a statement that waits for this lock, so the wait is short. The job runs again every hour. */
const lockTimeoutMs = 2_000

const defaultRows = new Gauge({
  name: 'crm_event_default_partition_rows',
  help: 'Rows of the event log in the default partition, because no partition exists for their month.',
})
const missingPartitions = new Gauge({
  name: 'crm_event_partitions_missing',
  help: 'Monthly partitions of the event log, up to the next month, that do not exist.',
})

/**
 * Creates the partitions of the coming months, moves rows out of the default partition into their months, and drops the months that
 * ended before the retention time. Logs an error and sets metrics if problems remain.
 */
export async function maintainEventPartitions({
  database,
  clock,
  log,
  settings,
}: Pick<Services, 'database' | 'clock' | 'log' | 'settings'>): Promise<void> {
  const now = clock.now()
  const oldest = monthOf(new Date(now.getTime() - settings.eventRetentionDays * dayMs))
  try {
    await withLockTimeout(database, (sql) =>
      sql.query('select kernel.create_event_partitions($1::date, $2)', [
        oldest,
        monthsBetween(oldest, now) + monthsAhead,
      ]),
    )
    await withLockTimeout(database, (sql) => dropBefore(sql, oldest))
  } finally {
    await reportPartitionProblems(database, log, now, oldest)
  }
}

const tables = ['event', 'event_log'] as const

async function dropBefore(sql: Sql, oldest: string): Promise<void> {
  for (const partition of await partitionsOf(sql)) {
    if (partition.month < oldest) await sql.query(`drop table kernel.${partition.name}`)
  }
  for (const table of tables) await sql.query(`delete from kernel.${table}_other where occurred_at < $1`, [oldest])
}

/** Rows older than the retention time are no problem: the next run deletes those that were written after this one. */
async function reportPartitionProblems(database: Sql, log: Services['log'], now: Date, oldest: string): Promise<void> {
  const names = new Set((await partitionsOf(database)).map(({ name }) => name))
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
  const missing = tables
    .flatMap((table) => [now, nextMonth].map((day) => `${table}_${monthOf(day).slice(0, 7).replace('-', '_')}`))
    .filter((name) => !names.has(name))
  const [row] = await database.query<{ rows: number }>(
    `select (${tables.map((table) => `(select count(*) from kernel.${table}_other where occurred_at >= $1)`).join(' + ')})::int as rows`,
    [oldest],
  )
  const { rows } = row!
  defaultRows.set(rows)
  missingPartitions.set(missing.length)
  if (rows > 0 || missing.length > 0)
    log.error({ rows, missing }, 'the event log has rows in its default partition, or lacks partitions')
}

interface Partition {
  readonly name: string
  /** First day of its month, such as `2027-03-01`. */
  readonly month: string
}

/** The monthly partitions, without the default partitions. */
function partitionsOf(sql: Sql): Promise<Partition[]> {
  return sql.query<Partition>(
    `select c.relname as name, replace(right(c.relname, 7), '_', '-') || '-01' as month
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent in (${tables.map((table) => `'kernel.${table}'::regclass`).join(', ')}) and c.relname ~ '_\\d{4}_\\d\\d$'
     order by c.relname`,
  )
}

function withLockTimeout<T>(database: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
  return database.transaction(async (sql) => {
    await sql.query(`set local lock_timeout = ${lockTimeoutMs}`)
    return work(sql)
  })
}

const monthOf = (day: Date): string => `${day.toISOString().slice(0, 7)}-01`

const monthsBetween = (first: string, day: Date): number =>
  (day.getUTCFullYear() - Number(first.slice(0, 4))) * 12 + day.getUTCMonth() + 1 - Number(first.slice(5, 7))
