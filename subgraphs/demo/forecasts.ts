import type { Forecast } from '../insights/forecast/forecast.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs } from './calendar.ts'
import type { DemoOpportunity } from './opportunities.ts'
import { commonFields, managerOf, type DemoUser, type GeneratorInput } from './organization.ts'
import { periodsUntil, sellersOf, wonBy, type DemoPeriod } from './quotas.ts'
import { Random } from './random.ts'

/** Days after the start of a quarter on which everybody submits. */
const submissionDays = [7, 49]
const step = 1_000

const notes = [
  'Two renewals are waiting for signatures.',
  'The largest deal may slip into the next quarter.',
  'Procurement confirmed the budget.',
]

/** The forecasts of everybody who sells, for the last four quarters: what was won by then, and about what was won afterwards. */
export function demoForecasts(
  input: GeneratorInput,
  opportunities: readonly DemoOpportunity[],
): GeneratedRecord<Forecast>[] {
  const { profile, midnightMs, foundedMs } = input
  const random = new Random(`forecasts ${profile.code}`)
  const sellers = sellersOf(input)
  const reportsTo = (user: DemoUser, manager: DemoUser): boolean => {
    const next = managerOf(input, user)
    return next !== null && (next === manager || reportsTo(next, manager))
  }
  const forecastOf = (user: DemoUser, period: DemoPeriod, submittedMs: number, revision: number) => {
    const team = [user, ...sellers.filter((other) => reportsTo(other, user))]
    const won = wonBy(opportunities, team, period.startMs, submittedMs)
    const later = wonBy(opportunities, team, submittedMs, period.endMs)
    const amount = (least: number, share: number): number => Math.max(least, Math.round((later * share) / step) * step)
    const commit = amount(step, 0.7 + 0.5 * random.next())
    const [bestCase, pipeline] = [amount(10 * step, 0.3), amount(30 * step, 0.8)]
    const { id, organizationId, createdAt } = commonFields(input, random, submittedMs, user.id)
    return {
      values: {
        id,
        organizationId,
        createdAt,
        userId: user.id,
        period: period.text,
        periodType: period.type,
        commit,
        bestCase,
        pipeline,
        currency: profile.currency,
        notes: random.pick(notes),
        revision,
        submittedAt: createdAt,
        submittedById: user.id,
        countedClosed: won,
        countedCommit: amount(15 * step, 0.6),
        countedBestCase: amount(12 * step, 0.4),
        countedPipeline: amount(40 * step, 1),
        countedUserIds: team.map((one) => one.id),
      },
      actorId: user.id,
      eventId: random.id(submittedMs),
    }
  }
  const quarters = periodsUntil(midnightMs).filter(({ type }) => type === 'QUARTER')
  return sellers.flatMap((user) =>
    quarters.flatMap((period) => {
      const times = submissionDays.map((days) => period.startMs + days * dayMs + 9 * hourMs)
      const past = times.filter((ms) => ms > foundedMs && ms < midnightMs)
      // On the first days of a quarter everybody has submitted at its start.
      const submitted = past.length > 0 ? past : [Math.min(period.startMs + 9 * hourMs, midnightMs - hourMs)]
      return submitted.map((ms, index) => forecastOf(user, period, ms, index + 1))
    }),
  )
}
