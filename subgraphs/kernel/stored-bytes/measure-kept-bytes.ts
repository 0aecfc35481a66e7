import type { Sql } from '../database/sql.ts'
import type { Job } from '../jobs/job.ts'
import type { Services } from '../request.ts'

/** Organizations that one run measures. */
const organizationsMax = 20
/** An organization that wrote less since its last measurement is not measured again each day. */
const dailyFrom = 16_777_216

interface Due {
  readonly organizationId: string
  /** What it had written when the measurement began. */
  readonly written: number
}

/**
 * Measures what organizations keep: those that wrote half of what they had left, those without room each hour, and those that wrote much each day.
 * A measurement reads no large values, only their sizes.
 */
export async function measureKeptBytes({
  database,
  settings,
  clock,
}: Pick<Services, 'database' | 'settings' | 'clock'>): Promise<void> {
  const due = await claimDue(database, settings.storedBytes.kept, clock.now())
  if (due.length === 0) return
  const statements = await measuringStatements(database)
  for (const { organizationId, written } of due) {
    let bytes = 0
    for (const statement of statements) {
      const [row] = await database.query<{ bytes: number }>(statement, [organizationId])
      bytes += row!.bytes
    }
    await database.query(
      'update kernel.stored_bytes set measured = $2, written = written - $3 where organization_id = $1',
      [organizationId, bytes, written],
    )
  }
}

export const measureKeptBytesJob: Job = { name: 'storedBytes.measure', cron: '*/5 * * * *', run: measureKeptBytes }

/** The time is written first, so that a run which begins during this one measures others. */
const claimDue = (sql: Sql, bytesMax: number | null, now: Date): Promise<Due[]> =>
  sql.query<Due>(
    `update kernel.stored_bytes s set measured_at = $2
     from (
       select organization_id, written from kernel.stored_bytes
       where written > greatest(($1::int8 - measured) / 2, $1::int8 / 100)
         or (measured + written > $1::int8 and (measured_at is null or measured_at <= $2::timestamptz - interval '1 hour'))
         or (written >= ${dailyFrom} and (measured_at is null or measured_at <= $2::timestamptz - interval '1 day'))
       order by measured_at nulls first limit ${organizationsMax} for update skip locked
     ) due
     where s.organization_id = due.organization_id returning s.organization_id as "organizationId", due.written`,
    [bytesMax, now.toISOString()],
  )

/** For each table with rows of organizations, the bytes of the rows of one. */
async function measuringStatements(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ statement: string }>(
    `select format('select coalesce(sum(%s), 0)::int8 as bytes from %I.%I where organization_id = $1', sizes, schema, name) as statement
     from (
       select n.nspname as schema, c.relname as name,
         concat_ws(' + ', 28 + coalesce(sum(a.attlen) filter (where a.attlen > 0), 0),
           string_agg(format('coalesce(pg_column_size(%I), 0)', a.attname), ' + ') filter (where a.attlen < 0)) as sizes
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^pg_'
         and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'organization_id' and not o.attisdropped
           and o.atttypid = 'uuid'::regtype)
       group by n.nspname, c.relname order by n.nspname, c.relname
     ) measured`,
  )
  return rows.map(({ statement }) => statement)
}
