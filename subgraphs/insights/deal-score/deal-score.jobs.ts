import type { Job } from '../../kernel/jobs/job.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { organizationZone } from '../../kernel/time/days.ts'
import { eachOrganization } from '../../identity/public.ts'
import { learn } from './model.ts'
import { keepDay, refreshDeals, trendDays } from './refresh.ts'

/** Deals of one transaction. */
const batchSize = 1000

/** Refreshes the deals that a statement finds, in the order of their ids, batch by batch; `$1` is the organization, `$2` the last id of the batch before. */
async function refreshAll(
  services: Services,
  organizationId: string,
  found: string,
  { keepsDay }: { keepsDay: boolean },
): Promise<void> {
  const { database, clock } = services
  const zone = await organizationZone(systemContext(services, organizationId))
  let after = '00000000-0000-0000-0000-000000000000'
  for (let size = batchSize; size === batchSize;) {
    const rows = await database.query<{ id: string }>(`${found} limit ${batchSize}`, [organizationId, after])
    const ids = rows.map(({ id }) => id)
    const moment = { now: clock.now(), zone }
    await refreshDeals(database, organizationId, ids, moment)
    if (keepsDay && ids.length > 0) await keepDay(database, organizationId, ids, moment)
    size = ids.length
    after = ids.at(-1) ?? after
  }
}

const openDeals = `
  (select o.id from crm.opportunity o
    where o.organization_id = $1 and o.id > $2 and o.deleted_at is null and not o.is_closed order by o.id limit ${batchSize})
  union
  (select s.deal_id from insights.deal_score s where s.organization_id = $1 and s.deal_id > $2 order by s.deal_id limit ${batchSize})
  order by id`

const dirtyDeals = `select deal_id as id from insights.deal_score where organization_id = $1 and deal_id > $2 and is_dirty order by deal_id`

/** Time passes for every deal, so all of them are computed. */
export const dealScoreHourly: Job = {
  name: 'dealScore.hourly',
  cron: '7 * * * *',
  async run(services) {
    await eachOrganization(
      services,
      'exists (select from crm.opportunity d where d.organization_id = o.id and d.deleted_at is null and not d.is_closed)',
      (id) => refreshAll(services, id, openDeals, { keepsDay: true }),
    )
  },
}

export const dealScoreDirty: Job = {
  name: 'dealScore.dirty',
  cron: '* * * * *',
  async run(services) {
    await eachOrganization(
      services,
      'exists (select from insights.deal_score s where s.organization_id = o.id and s.is_dirty)',
      (id) => refreshAll(services, id, dirtyDeals, { keepsDay: false }),
    )
  },
}

/** Counts the closed deals of every organization that was ever asked, and forgets old days. */
export const dealScoreDaily: Job = {
  name: 'dealScore.daily',
  cron: '15 2 * * *',
  async run(services) {
    const { database, clock } = services
    await eachOrganization(
      services,
      'exists (select from insights.deal_model m where m.organization_id = o.id)',
      (id) => learn(database, id, clock.now(), true),
    )
    await database.query(`delete from insights.deal_score_day where day < $1::timestamptz::date - ${trendDays}`, [
      clock.now().toISOString(),
    ])
  },
}
