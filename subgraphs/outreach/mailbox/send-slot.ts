import type { RequestContext } from '../../kernel/request.ts'
import type { Mailbox } from './mailbox.ts'

const [minuteMs, dayMs] = [60_000, 86_400_000]

/** Counts a mail against the limits of its mailbox: 0, or the milliseconds after which there is room. The rows are shared by all processes. */
export async function takeSendSlot(ctx: RequestContext, box: Mailbox): Promise<number> {
  const now = ctx.clock.now().toISOString()
  const over = (began: string, length: string) => `(s.${began} is null or s.${began} + interval '${length}' <= $3)`
  const [taken] = await ctx.db.query(
    `insert into outreach.mailbox_state as s (organization_id, id, day_began_at, day_count, minute_began_at, minute_count)
     values ($1, $2, $3::timestamptz, 1, $3::timestamptz, 1)
     on conflict (organization_id, id) do update set
       day_began_at = case when ${over('day_began_at', '1 day')} then $3 else s.day_began_at end,
       day_count = case when ${over('day_began_at', '1 day')} then 1 else s.day_count + 1 end,
       minute_began_at = case when ${over('minute_began_at', '1 minute')} then $3 else s.minute_began_at end,
       minute_count = case when ${over('minute_began_at', '1 minute')} then 1 else s.minute_count + 1 end
     where (${over('day_began_at', '1 day')} or s.day_count < $4)
       and (${over('minute_began_at', '1 minute')} or s.minute_count < $5)
     returning 1`,
    [box.organizationId, box.id, now, box.dailyLimit, box.perMinuteLimit],
  )
  if (taken) return 0
  const [state] = await ctx.db.query<{ dayBeganAt: string; dayCount: number; minuteBeganAt: string }>(
    `select day_began_at as "dayBeganAt", day_count as "dayCount", minute_began_at as "minuteBeganAt" from outreach.mailbox_state
     where organization_id = $1 and id = $2`,
    [box.organizationId, box.id],
  )
  const end =
    state!.dayCount >= box.dailyLimit
      ? Date.parse(state!.dayBeganAt) + dayMs
      : Date.parse(state!.minuteBeganAt) + minuteMs
  return Math.max(1000, end - Date.parse(now))
}
