import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { organizationZone } from '../../kernel/time/days.ts'
import { nextScan } from './scan-schedule.ts'
import { triageSettings } from './triage-config.ts'
import type { TriageScan } from './triage.types.ts'

type ScanRow = Omit<TriageScan, 'status'>

/** Requests a scan, which the worker begins within a minute. One at a time: 409 while one was requested or runs. */
export async function requestScan(ctx: RequestContext): Promise<TriageScan> {
  requireAdministrator(ctx)
  const { organizationId } = ctx.caller
  const { enabled, scanSchedule } = await triageSettings(ctx.db, organizationId)
  if (!enabled) throw refusalInSituation('The scans of the organization are off.')
  const now = ctx.clock.now()
  const next = nextScan(scanSchedule, await organizationZone(ctx), now)
  const [row] = await ctx.db.query<ScanRow & Record<string, unknown>>(
    `insert into insights.triage_scan as s (organization_id, next_at, requested_at) values ($1, $2, $3)
     on conflict (organization_id) do update set requested_at = excluded.requested_at
       where s.requested_at is null and s.started_at is null
     returning requested_at as "requestedAt", started_at as "startedAt", finished_at as "finishedAt", accounts, opened, resolved`,
    [organizationId, next.toISOString(), now.toISOString()],
    'WRITE',
  )
  if (!row) throw refusalInSituation('A scan was requested already, or runs.')
  return { ...row, status: 'QUEUED' }
}
