import { engagementK } from '../insights/engagement/stored/engagement.jobs.ts'
import { rebuild } from '../insights/engagement/stored/rebuild.ts'
import { objectNames, scoredObjects } from '../insights/engagement/stored/scored-objects.ts'
import { dealScoreHourly } from '../insights/deal-score/deal-score.jobs.ts'
import { forecastSnapshot } from '../insights/forecast/snapshot.job.ts'
import { winCalibration } from '../insights/win-rate/calibration.ts'
import { leadRates } from '../insights/lead-score/lead-rate.job.ts'
import type { Sql } from '../kernel/database/sql.ts'
import { fiscalCalendar } from '../identity/public.ts'
import { recordAttained } from '../insights/quota/attained-consumer.ts'
import { quota } from '../insights/quota/quota.record.ts'
import type { Quota } from '../insights/quota/quota.ts'
import { triageDefaults } from '../insights/triage/triage-config.ts'
import { recordsOf } from '../kernel/record/records-of.ts'
import { systemContext, type Services } from '../kernel/request.ts'
import type { GeneratorInput } from './organization.ts'
import { loadRisks } from './triage-cases.ts'

/** The runs of the scenarios wait for a worker, which computes their results after the first start. */
const queueRuns = (sql: Sql, organizationId: string): Promise<unknown> =>
  sql.query(
    `insert into insights.scenario_run (organization_id, id, scenario_id, user_id, previous_status)
     select organization_id, id, id, owner_id, 'DRAFT' from insights.scenario where organization_id = $1`,
    [organizationId],
  )

/** Quotas that were attained long ago, so that nobody is told of them at the first start. */
async function markAttained(services: Services, organizationId: string): Promise<void> {
  const ctx = systemContext(services, organizationId)
  const rows = await ctx.db.query<{ id: string }>('select id from insights.quota where organization_id = $1', [
    organizationId,
  ])
  const quotas: Quota[] = []
  for (const { id } of rows) quotas.push(await recordsOf(quota).require(ctx, id))
  await recordAttained(ctx, quotas, await fiscalCalendar(ctx))
}

/** The first worker scans the accounts at once, and not only in the next night. Nobody is told, because the users of the demo get no mail. */
async function requestScan(sql: Sql, organizationId: string, now: Date): Promise<void> {
  const settings = { ...triageDefaults, notify: { owner: false } }
  const values = [organizationId, now.toISOString()]
  await sql.query('insert into insights.triage_scan (organization_id, next_at) values ($1, $2)', values)
  await sql.query('insert into insights.triage_config (organization_id, updated_at, settings) values ($1, $2, $3)', [
    ...values,
    JSON.stringify(settings),
  ])
}

/** Computes what consumers and jobs have computed until midnight, so that they find nothing to do in the events of the demo. */
export async function loadInsights(services: Services, input: GeneratorInput): Promise<void> {
  const { organizationId } = input
  const { database, clock } = services
  for (const object of objectNames) {
    const { link } = scoredObjects[object]
    const rows = await database.query<{ id: string }>(
      `select distinct ${link} as id from crm.activity where organization_id = $1 and ${link} is not null`,
      [organizationId],
    )
    await rebuild(
      database,
      organizationId,
      object,
      rows.map(({ id }) => id),
      clock.now(),
    )
  }
  await engagementK.run(services)
  await leadRates.run(services)
  await winCalibration.run(services)
  await dealScoreHourly.run(services)
  await forecastSnapshot.run(services)
  await markAttained(services, organizationId)
  await queueRuns(database, organizationId)
  await loadRisks(database, input)
  await requestScan(database, organizationId, clock.now())
}
