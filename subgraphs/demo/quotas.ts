import type { Quota } from '../insights/quota/quota.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { hourMs, iso } from './calendar.ts'
import type { DemoOpportunity } from './opportunities.ts'
import { commonFields, membersOf, teamIdOf, type DemoUser, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

/** Quarters before the current one that have quotas. */
const quartersBack = 3
/** A target is a multiple of it. */
const step = 5_000
const targetMin = 4 * step

export interface DemoPeriod {
  readonly text: string
  readonly type: 'MONTH' | 'QUARTER' | 'YEAR'
  readonly startMs: number
  readonly endMs: number
}

/** The current month and year, and the last quarters, in calendar order of their length. */
export function periodsUntil(midnightMs: number): DemoPeriod[] {
  const day = new Date(midnightMs)
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()]
  const period = (text: string, type: DemoPeriod['type'], firstMonth: number, months: number): DemoPeriod => ({
    text,
    type,
    startMs: Date.UTC(year, firstMonth, 1),
    endMs: Date.UTC(year, firstMonth + months, 1),
  })
  const thisQuarter = Math.floor(month / 3)
  const quarters = Array.from({ length: quartersBack + 1 }, (_, index) => {
    const number = thisQuarter - index
    const start = new Date(Date.UTC(year, number * 3, 1))
    return period(`${start.getUTCFullYear()}-Q${start.getUTCMonth() / 3 + 1}`, 'QUARTER', number * 3, 3)
  })
  return [period(iso(midnightMs).slice(0, 7), 'MONTH', month, 1), ...quarters, period(String(year), 'YEAR', 0, 12)]
}

/** What these users won from one moment to another. */
export const wonBy = (
  opportunities: readonly DemoOpportunity[],
  owners: readonly DemoUser[],
  startMs: number,
  endMs: number,
): number =>
  opportunities
    .filter(({ owner, given: { values } }) => {
      const closedMs = values.isWon ? Date.parse(values.closedAt!) : 0
      return owners.includes(owner) && closedMs >= startMs && closedMs < endMs
    })
    .reduce((sum, { given: { values } }) => sum + Number(values.baseAmount ?? 0), 0)

/** Everybody who sells. */
export const sellersOf = (input: GeneratorInput): DemoUser[] =>
  salesTeamsOf(input).flatMap((team) => membersOf(input, team))

const salesTeamsOf = ({ profile }: GeneratorInput): string[] => [...new Set(Object.values(profile.teamOfRegion))]

/** The quotas of everybody who sells, and of the sales teams for the current quarter. Most of them are a little above what was won. */
export function demoQuotas(input: GeneratorInput, opportunities: readonly DemoOpportunity[]): GeneratedRecord<Quota>[] {
  const { profile, users, midnightMs, foundedMs } = input
  const random = new Random(`quotas ${profile.code}`)
  const setBy = users.find(({ role }) => role === 'ADMIN')!
  const quotaFor = (of: Pick<Quota, 'userId' | 'teamId'>, owners: readonly DemoUser[], period: DemoPeriod) => {
    const createdMs = Math.max(foundedMs, Math.min(period.startMs + 9 * hourMs, midnightMs - hourMs))
    const wanted = wonBy(opportunities, owners, period.startMs, period.endMs) * (0.8 + 0.6 * random.next())
    return {
      values: {
        ...commonFields(input, random, createdMs, setBy.id),
        ...of,
        period: period.text,
        periodType: period.type,
        target: Math.max(targetMin, Math.round(wanted / step) * step),
        currency: profile.currency,
        startDate: null,
        endDate: null,
      },
      actorId: setBy.id,
      eventId: random.id(createdMs),
    }
  }
  const periods = periodsUntil(midnightMs)
  return [
    ...sellersOf(input).flatMap((user) =>
      periods.map((period) => quotaFor({ userId: user.id, teamId: null }, [user], period)),
    ),
    ...salesTeamsOf(input).map((team) =>
      quotaFor({ userId: null, teamId: teamIdOf(input, team) }, membersOf(input, team), periods[1]!),
    ),
  ]
}
