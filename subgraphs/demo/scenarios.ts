import type { Scenario } from '../insights/simulation/scenario.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs, iso } from './calendar.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

const horizonDays = 90
/** About the median of the results. */
const targetOfAccount = 12_000

const assumptions: readonly Pick<Scenario, 'name' | 'description' | 'adjustments'>[] = [
  { name: 'As it is', description: 'What open deals yield if nothing changes.', adjustments: [] },
  {
    name: 'Better negotiations',
    description: 'If the new contract templates win every tenth lost negotiation.',
    adjustments: [{ target: 'WIN_RATE', operation: 'MULTIPLY', value: 1.1, scope: { stage: 'NEGOTIATION' } }],
  },
  {
    name: 'A slow quarter',
    description: 'If customers decide a month later, and buy a tenth less.',
    adjustments: [
      { target: 'CLOSE_DATE', operation: 'SHIFT_DAYS', value: 30, scope: null },
      { target: 'AMOUNT', operation: 'MULTIPLY', value: 0.9, scope: null },
    ],
  },
]

/** Three scenarios of the owner, for the next 90 days, whose runs wait for a worker (`insights.ts`). */
export function demoScenarios(input: GeneratorInput): GeneratedRecord<Scenario>[] {
  const { profile, users, midnightMs } = input
  const random = new Random(`scenarios ${profile.code}`)
  const owner = users.find(({ role }) => role === 'OWNER')!
  return assumptions.map((assumption, index) => {
    const createdMs = midnightMs - dayMs + (9 + index) * hourMs
    return {
      values: {
        ...commonFields(input, random, createdMs, owner.id),
        ownerId: owner.id,
        ...assumption,
        period: null,
        horizonStart: iso(midnightMs),
        horizonEnd: iso(midnightMs + (horizonDays + 1) * dayMs - 1),
        filters: null,
        iterations: 10_000,
        seed: 1,
        target: targetOfAccount * profile.accounts,
        status: 'RUNNING',
        failure: null,
        lastRunAt: null,
      },
      actorId: owner.id,
      eventId: random.id(createdMs),
    }
  })
}
