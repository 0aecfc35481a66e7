import type { Job } from '../../kernel/jobs/job.ts'

const keptMonths = 24
const monthsAhead = 2
/** Other statements queue behind a statement that waits for this lock, so the wait is short. The job runs again the next day. */
const lockTimeoutMs = 2_000

/** Creates the partitions of the coming months, and drops those of months that ended more than 24 months ago. */
export const maintainFieldHistory: Job = {
  name: 'fieldHistory.maintain',
  cron: '15 3 * * *',
  async run({ database, clock }) {
    const now = clock.now()
    const monthOf = (months: number): string =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)).toISOString().slice(0, 10)
    const oldest = monthOf(-keptMonths)
    await database.transaction(async (sql) => {
      await sql.query(`set local lock_timeout = ${lockTimeoutMs}`)
      await sql.query('select records.create_field_history_partitions($1::date, $2)', [monthOf(0), monthsAhead])
    })
    const partitions = await database.query<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'records.field_history'::regclass and c.relname ~ '_\\d{4}_\\d\\d$'
         and to_date(right(c.relname, 7), 'YYYY_MM') < $1::date`,
      [oldest],
    )
    for (const { name } of partitions)
      await database.transaction(async (sql) => {
        await sql.query(`set local lock_timeout = ${lockTimeoutMs}`)
        await sql.query(`drop table records.${name}`)
      })
    await database.query('delete from records.field_history_other where changed_at < $1', [oldest])
  },
}
