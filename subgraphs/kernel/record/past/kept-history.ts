import { invalid, Refusal } from '../../errors.ts'
import type { RequestContext } from '../../request.ts'

const dayMs = 86_400_000

/** The begin of the oldest month of which all events are kept, whenever older months were dropped last. */
export function keptSince({ clock, settings }: Pick<RequestContext, 'clock' | 'settings'>): Date {
  const oldest = new Date(clock.now().getTime() - settings.eventRetentionDays * dayMs)
  return new Date(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth()))
}

/** Whether no event of the organization was dropped: its positions have no gap. */
async function isWholeLogKept({ db, caller }: RequestContext): Promise<boolean> {
  const [row] = await db.query<{ latest: number | null; kept: number | null }>(
    `select latest,
       case when first = 1 then (select count(*) from kernel.event_log where organization_id = $1) end as kept
     from (
       select (select position from kernel.event_log where organization_id = $1 order by position limit 1) as first,
         (select position from kernel.event_head where organization_id = $1) as latest
     ) ends`,
    [caller.organizationId],
    'SCAN',
  )
  return row!.latest === null || row!.kept === row!.latest
}

/** Refuses a time in the future, and one whose events are not kept. */
export async function requireKept(ctx: RequestContext, time: string, path: string): Promise<void> {
  if (Date.parse(time) > ctx.clock.now().getTime())
    throw invalid({ path, code: 'OUT_OF_RANGE', message: `${path} must not be in the future.` })
  const since = keptSince(ctx)
  if (Date.parse(time) >= since.getTime() || (await isWholeLogKept(ctx))) return
  const oldest = since.toISOString()
  const message = `The changes before ${oldest} are not all kept, so ${path} must not be before it.`
  throw new Refusal('HISTORY_NOT_KEPT', message, { oldest, errors: [{ path, code: 'HISTORY_NOT_KEPT', message }] })
}
