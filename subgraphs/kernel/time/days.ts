import { DateTime } from 'luxon'
import type { RequestContext } from '../request.ts'

/** Which moment of a day a date without a time means: `END` where the field is a limit, so that the whole last day is within it. */
export type DayMoment = 'BEGIN' | 'END'

const day = /^\d{4}-\d{2}-\d{2}$/

/** Whether a timestamp is a date without a time. */
export const isDay = (value: unknown): value is string =>
  typeof value === 'string' && value.length === 10 && day.test(value)

/** The first or the last millisecond of the day in the time zone, as a stored timestamp; of the day in UTC without `moment`. */
export function momentOfDay(date: string, moment: DayMoment | null, zone: string): string {
  if (moment === null) return `${date}T00:00:00.000Z`
  const local = DateTime.fromISO(date, { zone })
  const time = moment === 'BEGIN' ? beginOf(local) : beginOf(local.plus({ days: 1 })) - 1
  // A day at the very end of the calendar has an end in the year 10000 of UTC.
  return time > latest ? '9999-12-31T23:59:59.999Z' : new Date(time).toISOString()
}

const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** The first moment of the day. Where a change to winter time repeats midnight, the first of both. */
const beginOf = (day: DateTime): number =>
  Math.min(
    ...day
      .startOf('day')
      .getPossibleOffsets()
      .map((begin) => begin.toMillis()),
  )

/** The bounds of a range begin or end with the whole day. */
const momentOfOperator: Readonly<Partial<Record<string, DayMoment>>> = {
  gt: 'END',
  gte: 'BEGIN',
  lt: 'BEGIN',
  lte: 'END',
}

/**
 * The operators of a filter by a timestamp with moments in place of dates without a time. `moment`: what a date means where no operator says it. `eq` with a
 * date matches every time of that day.
 */
export function operatorsWithMoments(
  operators: Readonly<Record<string, unknown>>,
  moment: DayMoment,
  zone: string,
): Readonly<Record<string, unknown>> {
  const { eq, ...others } = operators
  const isWholeDay = isDay(eq) && operators['gte'] == null && operators['lte'] == null
  const given = isWholeDay ? { ...others, gte: eq, lte: eq } : operators
  const moved = (operand: unknown, name: string): unknown =>
    Array.isArray(operand)
      ? operand.map((item) => moved(item, name))
      : isDay(operand)
        ? momentOfDay(operand, momentOfOperator[name] ?? moment, zone)
        : operand
  return Object.fromEntries(Object.entries(given).map(([name, operand]) => [name, moved(operand, name)]))
}

/** The date of a moment in the time zone, as `YYYY-MM-DD`. */
export const dateIn = (zone: string, moment: Date): string =>
  DateTime.fromJSDate(moment, { zone }).toISODate() ?? moment.toISOString().slice(0, 10)

type ZoneSource = (ctx: RequestContext) => Promise<string | null>

let source: ZoneSource = () => Promise.resolve(null)

let zoneSql = (_organization: string): string => 'null::text'

/** Registers where the time zones of organizations are stored, also as SQL by their id. The composition root calls it once. */
export function registerOrganizationZones(zones: ZoneSource, sql: (organization: string) => string): void {
  source = zones
  zoneSql = sql
}

/** SQL of the time zone of an organization; null if it has set none. */
export const organizationZoneSql = (organization: string): string => zoneSql(organization)

/** The time zone of the caller's organization; UTC if it has set none, and for callers without an organization. */
export async function organizationZone(ctx: RequestContext): Promise<string> {
  return (ctx.caller.organizationId && (await source(ctx))) || 'UTC'
}
