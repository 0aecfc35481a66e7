import { DateTime } from 'luxon'
import { fiscalCalendar } from '../../identity/public.ts'
import { invalid } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { dateIn, momentOfDay, organizationZone } from '../../kernel/time/days.ts'
import { periodOf } from '../../kernel/time/period.ts'
import type { Horizon } from './engine/input.ts'

export const horizonDaysDefault = 90
export const horizonDaysMax = 1096
/** The years of periods. */
const [firstDayMin, firstDayMax] = ['1900-01-01', '2199-12-31']

/** The days of a simulation: first and last day that count, as `YYYY-MM-DD` in the time zone of the organization. */
export interface HorizonDays {
  readonly zone: string
  readonly first: string
  readonly last: string
}

const dayMs = 86_400_000
const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

/** Days from one day to another. */
export const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / dayMs)

export const todayIn = ({ clock }: Pick<RequestContext, 'clock'>, zone: string): string => dateIn(zone, clock.now())

interface Given {
  readonly period?: string | null | undefined
  readonly horizonStart?: string | null | undefined
  readonly horizonEnd?: string | null | undefined
}

/** The days that a caller asks for: those of a period, or from the first to the last day; by default the next 90 days. */
export async function horizonDays(
  ctx: RequestContext,
  { period, horizonStart, horizonEnd }: Given,
): Promise<HorizonDays> {
  const zone = await organizationZone(ctx)
  if (period != null) {
    const path = horizonStart ? 'horizonStart' : horizonEnd ? 'horizonEnd' : null
    if (path) throw invalid({ path, code: 'NOT_ALLOWED', message: `${path} must not be given together with period.` })
    const { firstDay, endDay } = periodOf(period, null, await fiscalCalendar(ctx))
    return { zone, first: firstDay, last: addDays(endDay, -1) }
  }
  const first = horizonStart ? dateIn(zone, new Date(horizonStart)) : todayIn(ctx, zone)
  // Years with more than four digits sort before 1900.
  if (first < firstDayMin || first > firstDayMax) {
    const message = `horizonStart must be a day from ${firstDayMin} to ${firstDayMax}.`
    throw invalid({ path: 'horizonStart', code: 'OUT_OF_RANGE', message })
  }
  const last = horizonEnd ? dateIn(zone, new Date(horizonEnd)) : addDays(first, horizonDaysDefault)
  const days = daysBetween(first, last)
  if (!(days >= 0 && days <= horizonDaysMax)) {
    const message = `horizonEnd must be a day from horizonStart to ${horizonDaysMax} days later.`
    throw invalid({ path: 'horizonEnd', code: 'OUT_OF_RANGE', message })
  }
  return { zone, first, last }
}

/** The moments with which the horizon is stored. */
export const storedHorizon = ({ zone, first, last }: HorizonDays) => ({
  horizonStart: momentOfDay(first, 'BEGIN', zone),
  horizonEnd: momentOfDay(last, 'END', zone),
})

/** The months of the horizon, as `YYYY-MM`. */
export function monthsOf({ first, last }: HorizonDays): string[] {
  const months: string[] = []
  for (
    let month = DateTime.fromISO(first, { zone: 'utc' }).startOf('month');
    month.toISODate()! <= last;
    month = month.plus({ months: 1 })
  )
    months.push(month.toFormat('yyyy-MM'))
  return months
}

/** The horizon in days from today. */
export function horizonFrom(today: string, days: HorizonDays): Horizon {
  const lastDay = daysBetween(today, days.last)
  const ends = monthsOf(days).map((month) =>
    daysBetween(today, DateTime.fromISO(month, { zone: 'utc' }).endOf('month').toISODate()!),
  )
  return {
    firstDay: daysBetween(today, days.first),
    lastDay,
    monthEnds: ends.map((end) => Math.min(end, lastDay)),
  }
}
