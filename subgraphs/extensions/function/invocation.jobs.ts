import type { Sql } from '../../kernel/database/sql.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Services } from '../../kernel/request.ts'

const dayMs = 86_400_000
export const keptDays = 30
const weeksAhead = 4
/** Other statements queue behind a statement that waits for this lock, so the wait is short. The job runs again every hour. */
const lockTimeoutMs = 2_000

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Creates the partitions of the coming weeks, and drops those of which the last row is older than invocations are kept. */
export async function maintainInvocationPartitions({
  database,
  clock,
}: Pick<Services, 'database' | 'clock'>): Promise<void> {
  const now = clock.now().getTime()
  const oldest = dayOf(now - keptDays * dayMs)
  const weeks = Math.ceil(keptDays / 7) + weeksAhead
  await withLockTimeout(database, (sql) =>
    sql.query('select extensions.create_invocation_partitions($1::date, $2)', [oldest, weeks]),
  )
  await withLockTimeout(database, (sql) => dropBefore(sql, oldest))
}

async function dropBefore(sql: Sql, oldest: string): Promise<void> {
  const partitions = await sql.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'extensions.function_invocation'::regclass and c.relname ~ '_\\d{4}_\\d\\d_\\d\\d$'
       and replace(right(c.relname, 10), '_', '-')::date + 7 <= $1::date`,
    [oldest],
  )
  for (const { name } of partitions) await sql.query(`drop table extensions.${name}`)
  await sql.query('delete from extensions.function_invocation_other where id < extensions.first_id_of($1::date)', [
    oldest,
  ])
}

function withLockTimeout<T>(database: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
  return database.transaction(async (sql) => {
    await sql.query(`set local lock_timeout = ${lockTimeoutMs}`)
    return work(sql)
  })
}

export const invocationJobs: readonly Job[] = [
  { name: 'functions.keepInvocationPartitions', cron: '45 * * * *', run: maintainInvocationPartitions },
]
