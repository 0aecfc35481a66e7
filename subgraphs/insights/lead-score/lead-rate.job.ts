import type { Job } from '../../kernel/jobs/job.ts'
import type { Services } from '../../kernel/request.ts'

/** A smaller group would hardly differ from the average. */
const groupMin = 5

/** Counts the closed leads of each group of every organization, in one statement, and removes groups that are gone. */
async function countLeads({ database, clock }: Services): Promise<void> {
  const now = clock.now().toISOString()
  await database.transaction(async (sql) => {
    await sql.query(
      `insert into insights.lead_rate (organization_id, fact, member, closed, converted, computed_at)
       select l.organization_id, g.fact, g.member, count(*), count(*) filter (where l.status = 'CONVERTED'), $1::timestamptz
       from crm.lead l cross join lateral (
         select '' as fact, '' as member
         union all select fact, member from insights.lead_groups(l.industry, l.number_of_employees, l.title, l.country, l.lead_source)
       ) g
       where l.status in ('CONVERTED', 'UNQUALIFIED') and l.deleted_at is null
       group by l.organization_id, g.fact, g.member having g.fact = '' or count(*) >= ${groupMin}
       on conflict (organization_id, fact, member) do update
         set closed = excluded.closed, converted = excluded.converted, computed_at = excluded.computed_at`,
      [now],
    )
    await sql.query('delete from insights.lead_rate where computed_at < $1', [now])
  })
}

export const leadRates: Job = { name: 'leadScore.rates', cron: '40 2 * * *', run: countLeads }
