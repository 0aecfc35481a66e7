import { eachOrganization } from '../../identity/public.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Services } from '../../kernel/request.ts'

/** A smaller group would hardly differ from the average. */
const groupMin = 5

/** Counts the closed leads of each group of the organization, and removes groups that are gone. */
async function countLeads({ database, clock }: Services, organizationId: string): Promise<void> {
  const now = clock.now().toISOString()
  await database.transaction(async (sql) => {
    await sql.query(
      `insert into insights.lead_rate (organization_id, fact, member, closed, converted, computed_at)
       select l.organization_id, g.fact, g.member, count(*), count(*) filter (where l.status = 'CONVERTED'), $2::timestamptz
       from crm.lead l cross join lateral (
         select '' as fact, '' as member
         union all select fact, member from insights.lead_groups(l.industry, l.number_of_employees, l.title, l.country, l.lead_source)
       ) g
       where l.organization_id = $1 and l.status in ('CONVERTED', 'UNQUALIFIED') and l.deleted_at is null
       group by l.organization_id, g.fact, g.member having g.fact = '' or count(*) >= ${groupMin}
       on conflict (organization_id, fact, member) do update
         set closed = excluded.closed, converted = excluded.converted, computed_at = excluded.computed_at`,
      [organizationId, now],
    )
    await sql.query('delete from insights.lead_rate where organization_id = $1 and computed_at < $2', [
      organizationId,
      now,
    ])
  })
}

export const leadRates: Job = {
  name: 'leadScore.rates',
  cron: '40 2 * * *',
  run: (services) =>
    eachOrganization(
      services,
      `exists (select from crm.lead l where l.organization_id = o.id) or exists (select from insights.lead_rate r where r.organization_id = o.id)`,
      (organizationId) => countLeads(services, organizationId),
    ),
}
