import { activeOrganizations, baseCurrencyOf } from '../../identity/public.ts'
import { dateIn, organizationZone } from '../../kernel/time/days.ts'
import { inTurn } from '../../kernel/jobs/in-turn.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { lockOf } from '../../kernel/database/locks.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { systemContext, type RequestContext, type Services } from '../../kernel/request.ts'
import { dayMs } from '../../kernel/time/wall-calendar.ts'
import { paymentQuintiles, type PaymentQuintiles } from './payment-quintiles.ts'
import { resolveUnscanned, scanBatch } from './scan.ts'
import { nextScan } from './scan-schedule.ts'
import { triageSettings, type TriageSettings } from './triage-config.ts'

/** Trends reach back 90 days, and the fall of the health 30. */
const keptDays = 100
const organizationsAtOnce = 500

/** Scans the organizations whose time has come, one batch of each in turn, so that a large one does not keep the others waiting. */
export const triageScan: Job = {
  name: 'triage.scan',
  cron: '* * * * *',
  async run(services) {
    await beginSchedules(services)
    await inTurn(await dueOrganizations(services), (organizationId) => scanOnce(services, organizationId))
  },
}

/** Gives new organizations the time of their first scan. */
async function beginSchedules(services: Services): Promise<void> {
  const now = services.clock.now()
  const unscheduled = await services.database.query<{ id: string }>(
    `select o.id from ${activeOrganizations('o')}
     where not exists (select 1 from insights.triage_scan s where s.organization_id = o.id) order by o.id limit ${organizationsAtOnce}`,
    [],
  )
  for (const { id } of unscheduled) {
    const ctx = systemContext(services, id)
    const { scanSchedule } = await triageSettings(ctx.db, id)
    const next = nextScan(scanSchedule, await organizationZone(ctx), now)
    await ctx.db.query(
      'insert into insights.triage_scan (organization_id, next_at) values ($1, $2) on conflict do nothing',
      [id, next.toISOString()],
    )
  }
}

async function dueOrganizations({ database, clock }: Services): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `select s.organization_id as id from insights.triage_scan s join ${activeOrganizations('o')} on o.id = s.organization_id
     where s.next_at <= $1 or s.requested_at is not null or s.started_at is not null
     order by s.next_at, s.organization_id`,
    [clock.now().toISOString()],
  )
  return rows.map(({ id }) => id)
}

interface ScanRow {
  readonly nextAt: string
  readonly requestedAt: string | null
  readonly startedAt: string | null
  readonly afterId: string | null
  readonly quintiles: PaymentQuintiles | null
}

/**
 * Scans the next batch of an organization in one transaction, which also stores how far the scan has come: after a crash it goes on there. False
 * if the scan is finished, or another process is at it.
 */
async function scanOnce(services: Services, organizationId: string): Promise<boolean> {
  // The connection of a tenant, because the accounts through which cases are visible are read by the view of the tenant.
  return services.tenants.of(organizationId).transaction(async (db) => {
    const [lock] = await db.query<{ isFree: boolean }>(
      `select pg_try_advisory_xact_lock(${lockOf('triageScan', '$1')}) as "isFree"`,
      [organizationId],
    )
    if (!lock!.isFree) return false
    const ctx = { ...systemContext(services, organizationId), db }
    const settings = await triageSettings(db, organizationId)
    const scan = await currentScan(ctx, settings)
    if (!scan) return false
    const frame = { ctx, settings, quintiles: scan.quintiles, at: new Date(scan.startedAt) }
    const { accounts, opened, resolved, afterId, isLast } = await scanBatch(frame, scan.afterId)
    const unscanned = isLast ? await resolveUnscanned(frame) : { resolved: 0, isLast: false }
    await db.query(
      `update insights.triage_scan set accounts = accounts + $2, opened = opened + $3, resolved = resolved + $4, after_id = $5
       where organization_id = $1`,
      [organizationId, accounts, opened, resolved + unscanned.resolved, afterId],
    )
    if (unscanned.isLast) await finish(ctx, settings, frame.at)
    return !unscanned.isLast
  })
}

/** The scan that runs, or that begins because its time has come; null if there is none. */
async function currentScan(
  ctx: RequestContext,
  settings: TriageSettings,
): Promise<{ startedAt: string; afterId: string | null; quintiles: PaymentQuintiles | null } | null> {
  const { organizationId } = ctx.caller
  const now = ctx.clock.now()
  const [row] = await ctx.db.query<ScanRow & Record<string, unknown>>(
    `select next_at as "nextAt", requested_at as "requestedAt", started_at as "startedAt", after_id as "afterId", quintiles
     from insights.triage_scan where organization_id = $1 for update`,
    [organizationId],
  )
  if (!row) return null
  if (row.startedAt) return { startedAt: row.startedAt, afterId: row.afterId, quintiles: row.quintiles }
  if (!row.requestedAt && Date.parse(row.nextAt) > now.getTime()) return null
  if (!settings.enabled) {
    await schedule(ctx, settings, '')
    return null
  }
  const startedAt = now.toISOString()
  const base = await baseCurrencyOf(ctx)
  const day = dateIn(await organizationZone(ctx), now)
  const quintiles = await paymentQuintiles(ctx.db, { organizationId, now, base, day })
  await ctx.db.query(
    `update insights.triage_scan set started_at = $2, quintiles = $3, after_id = null, accounts = 0, opened = 0, resolved = 0 where organization_id = $1`,
    [organizationId, startedAt, quintiles && JSON.stringify(quintiles)],
  )
  return { startedAt, afterId: null, quintiles }
}

/** Sets the time of the next scan; nothing is requested or running any more. */
async function schedule(ctx: RequestContext, { scanSchedule }: TriageSettings, sets: string): Promise<void> {
  const next = nextScan(scanSchedule, await organizationZone(ctx), ctx.clock.now())
  await ctx.db.query(
    `update insights.triage_scan set next_at = $2, requested_at = null, started_at = null, after_id = null${sets} where organization_id = $1`,
    [ctx.caller.organizationId, next.toISOString()],
  )
}

async function finish(ctx: RequestContext, settings: TriageSettings, at: Date): Promise<void> {
  await schedule(ctx, settings, `, finished_at = '${ctx.clock.now().toISOString()}'`)
  await deleteOldRisks(ctx.db, ctx.caller.organizationId, at)
}

const deleteOldRisks = (db: Sql, organizationId: string, at: Date) =>
  db.query('delete from insights.triage_risk where organization_id = $1 and day < $2::date', [
    organizationId,
    new Date(at.getTime() - keptDays * dayMs).toISOString().slice(0, 10),
  ])
