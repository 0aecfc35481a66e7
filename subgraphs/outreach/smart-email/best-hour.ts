import { DateTime } from 'luxon'

/** Weight of what is known in general against what is known here: as many mails as it counts for. */
export const alpha = 10
const replyWeight = 3
export const hoursOfWeek = 168

/** What became of the mails that were sent at the same time, in one time zone. */
export interface SentMails {
  readonly timezone: string
  /** Start of a quarter of an hour, as an ISO time. */
  readonly at: string
  readonly sends: number
  readonly opens: number
  readonly replies: number
}

/** The mails of each hour of the week, from Monday 00:00 in the time zone of the recipient. */
export interface Week {
  readonly sends: readonly number[]
  /** Opens of people and three times the replies. */
  readonly successes: readonly number[]
  readonly total: number
}

const hourOf = ({ weekday, hour }: DateTime): number => (weekday - 1) * 24 + hour

export function weekOf(mails: readonly SentMails[]): Week {
  const sends = Array.from({ length: hoursOfWeek }, () => 0)
  const successes = Array.from({ length: hoursOfWeek }, () => 0)
  let total = 0
  for (const { timezone, at, sends: count, opens, replies } of mails) {
    const hour = hourOf(DateTime.fromISO(at, { zone: timezone }))
    if (Number.isNaN(hour)) continue
    sends[hour]! += count
    successes[hour]! += opens + replyWeight * replies
    total += count
  }
  return { sends, successes, total }
}

/** (successes + α · prior) / (sends + α) for each hour of the week. */
export const smoothed = ({ sends, successes }: Week, prior: readonly number[]): number[] =>
  sends.map((count, hour) => (successes[hour]! + alpha * prior[hour]!) / (count + alpha))

/** The same value for every hour: successes of the whole week for each mail. */
export const flatRate = ({ successes, total }: Week): number[] => {
  const rate = total === 0 ? 0 : successes.reduce((sum, one) => sum + one, 0) / total
  return Array.from({ length: hoursOfWeek }, () => rate)
}

/** Hours with equal value and evidence are compared by this order: Tuesday at 10 and the hours near to it, then other working hours, then the rest. */
function preference(hour: number): number {
  const [day, time] = [Math.floor(hour / 24), hour % 24]
  const isWorking = day < 5 && time >= 8 && time < 18
  return (isWorking ? 0 : 1000) + Math.abs(day - 1) * 24 + Math.abs(time - 10)
}

const order = Array.from({ length: hoursOfWeek }, (_, hour) => hour).sort((a, b) => preference(a) - preference(b))

/** The hour with the highest value; of equal ones that with more mails, then the preferred one. */
export const bestHour = (values: readonly number[], { sends }: Pick<Week, 'sends'>): number =>
  order.reduce((best, hour) => {
    const difference = values[hour]! - values[best]!
    const isEqual = Math.abs(difference) < 1e-9
    return (isEqual ? sends[hour]! > sends[best]! : difference > 0) ? hour : best
  }, order[0]!)

/** The first moment after `now` at which the clocks of the zone show this hour of the week. */
export function nextMoment(now: Date, hour: number, zone: string): Date {
  const monday = DateTime.fromJSDate(now, { zone }).startOf('week')
  for (let week = 0; ; week++) {
    const moment = monday.plus({ weeks: week, days: Math.floor(hour / 24) }).set({ hour: hour % 24 })
    if (moment.toMillis() > now.getTime()) return moment.toJSDate()
  }
}
