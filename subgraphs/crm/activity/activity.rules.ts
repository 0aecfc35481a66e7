import type { Decided } from '../../kernel/record/definition.ts'
import { actorIdOf } from '../../kernel/context.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { impliedLinks } from '../related-record/related-record.rules.ts'
import type { Activity } from './activity.ts'

/** 366 days. */
export const durationSecondsMax = 31_622_400
const minutesAheadMax = 5
const meetingDaysAheadMax = 731

/** What follows from the values of a new activity. Its facts never change, so a change implies nothing but the records that it concerns. */
export async function decideActivity(
  ctx: RequestContext,
  values: Partial<Activity>,
  previous: Activity | null,
): Promise<Decided<Activity>> {
  const links = await impliedLinks(ctx, values, previous)
  if (previous) return { implied: links }
  const now = ctx.clock.now().toISOString()
  const occurredAt = values.occurredAt ?? now
  const { endedAt = null, actorId = actorIdOf(ctx.caller) } = values
  const seconds = endedAt === null ? null : Math.round((Date.parse(endedAt) - Date.parse(occurredAt)) / 1000)
  const durationSeconds =
    values.durationSeconds ?? (seconds !== null && seconds >= 0 && seconds <= durationSecondsMax ? seconds : null)
  return {
    implied: {
      occurredAt,
      actorId,
      durationSeconds,
      isPlanned: values.type === 'MEETING' && occurredAt > now,
      ...links,
    },
  }
}

export function happensInOrder({ occurredAt, endedAt }: Activity): FieldProblem[] {
  if (endedAt === null || endedAt >= occurredAt) return []
  return [{ path: 'endedAt', code: 'OUT_OF_RANGE', message: 'endedAt must not be before occurredAt.' }]
}

/** Only a new activity is checked, because its time never changes. */
export function isNotFarAhead(ctx: RequestContext, next: Activity, previous: Activity | null): FieldProblem[] {
  if (previous) return []
  const isMeeting = next.type === 'MEETING'
  const minutes = isMeeting ? meetingDaysAheadMax * 24 * 60 : minutesAheadMax
  if (Date.parse(next.occurredAt) <= ctx.clock.now().getTime() + minutes * 60_000) return []
  const message = isMeeting
    ? 'occurredAt of a MEETING must be at most two years in the future.'
    : 'occurredAt must be at most five minutes in the future, unless type is MEETING; create a task for planned work.'
  return [{ path: 'occurredAt', code: 'OUT_OF_RANGE', message }]
}
