import { baseCurrencyOf, eachOrganization, fiscalCalendar } from '../../identity/public.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { dateIn } from '../../kernel/time/days.ts'
import { periodOfDay, periodTypes } from '../../kernel/time/period.ts'
import { takeSnapshots } from './snapshot.ts'

/** Daily snapshots are kept for two years, the others always. */
const keptDays = 731

/** Midnights of the time zones of the world are on quarters of an hour. */
export const forecastSnapshot: Job = {
  name: 'forecast.snapshot',
  cron: '*/15 * * * *',
  async run(services) {
    await eachOrganization(
      services,
      `exists (select from insights.quota q where q.organization_id = o.id)
       or exists (select from crm.opportunity d where d.organization_id = o.id and d.deleted_at is null)`,
      (organizationId) => snapshotsOfDay(services, organizationId),
    )
    await services.database.query(
      `delete from insights.forecast_snapshot where source = 'DAILY' and taken_at < $1::timestamptz - interval '${keptDays} days'`,
      [services.clock.now().toISOString()],
    )
  },
}

/** Once for each local day: the row of the day is written with the snapshots. The first day has no period that has ended. */
async function snapshotsOfDay(services: Services, organizationId: string): Promise<void> {
  const ctx = systemContext(services, organizationId)
  const calendar = await fiscalCalendar(ctx)
  const day = dateIn(calendar.timezone, services.clock.now())
  const [known] = await ctx.db.query<{ day: string }>(
    'select day from insights.forecast_day where organization_id = $1',
    [organizationId],
  )
  if (known && known.day >= day) return
  const currency = await baseCurrencyOf(ctx)
  await ctx.db.transaction(async (sql) => {
    const inner = { ...ctx, db: sql, batches: new Map() }
    const [claimed] = await sql.query(
      `insert into insights.forecast_day (organization_id, day) values ($1, $2)
       on conflict (organization_id) do update set day = excluded.day where forecast_day.day < excluded.day returning day`,
      [organizationId, day],
    )
    if (!claimed) return
    for (const type of periodTypes) {
      const period = periodOfDay(day, type, calendar)
      const last = known && periodOfDay(known.day, type, calendar)
      if (last && last.text !== period.text)
        await takeSnapshots(inner, { period: last, source: 'PERIOD_CLOSE', currency, users: 'ALL' })
      await takeSnapshots(inner, { period, source: 'DAILY', currency, users: 'ALL' })
    }
  })
}
