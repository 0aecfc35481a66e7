import { DateTime } from 'luxon'
import { organizationSettings } from '../../identity/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { PaymentTerms } from '../quote/quote.enumerations.ts'

const dayMs = 86_400_000

/** Midnight UTC of the day that the timestamp names: the form in which days are stored. */
export const dayOf = (time: string): string => `${time.slice(0, 10)}T00:00:00.000Z`

/** The day of a moment in a time zone, as midnight UTC. */
export const dayIn = (zone: string, moment: Date): string =>
  `${DateTime.fromJSDate(moment, { zone }).toISODate()}T00:00:00.000Z`

/** The moment at which a day, given as midnight UTC, begins in a time zone. */
export const beginOfDay = (zone: string, day: string): Date =>
  DateTime.fromISO(day.slice(0, 10), { zone }).startOf('day').toJSDate()

export const addDays = (day: string, days: number): string => new Date(Date.parse(day) + days * dayMs).toISOString()

/** The first moment after a day, given as midnight UTC, in a time zone. */
export const endOfDay = (zone: string, day: string): string => beginOfDay(zone, addDays(day, 1)).toISOString()

/** Whole days from one day to another, both as midnight UTC. */
export const daysBetween = (from: string, to: string): number => Math.floor((Date.parse(to) - Date.parse(from)) / dayMs)

export const timezoneOf = async (ctx: RequestContext): Promise<string> =>
  (await organizationSettings(ctx)).timezone ?? 'UTC'

/** Today in the time zone of the organization. */
export const todayOf = async (ctx: RequestContext): Promise<string> => dayIn(await timezoneOf(ctx), ctx.clock.now())

const daysOfTerms: Readonly<Record<PaymentTerms, number>> = {
  DUE_ON_RECEIPT: 0,
  NET_15: 15,
  NET_30: 30,
  NET_45: 45,
  NET_60: 60,
  NET_90: 90,
}

/** The last day to pay by the terms. */
export const dueDayOf = (issueDate: string, terms: PaymentTerms): string => addDays(issueDate, daysOfTerms[terms])
