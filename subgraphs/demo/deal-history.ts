import type { Opportunity } from '../crm/opportunity/opportunity.ts'
import { amountKnownMs, isValued } from './deal-fields.ts'
import { valuesAfter } from './deal-stages.ts'
import { withHistory, type Step } from './history.ts'
import type { DemoOpportunity } from './opportunities.ts'
import type { GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

const closing = { WON: 'opportunity.won', LOST: 'opportunity.lost' } as const

/** The deals with an event of each move, of the amount that was found out, and of the end. */
export function withDealHistory(input: GeneratorInput, opportunities: readonly DemoOpportunity[]): DemoOpportunity[] {
  const random = new Random(`history of opportunities ${input.profile.code}`)
  return opportunities.map((deal) => ({ ...deal, given: historyOf(random, deal) }))
}

function historyOf(random: Random, { given, visits, owner }: DemoOpportunity) {
  const { values } = given
  const [first] = visits
  // A deal that began with its products is valued from its creation.
  const valuedMs = isValued(visits) && amountKnownMs(visits) > first!.enteredMs ? amountKnownMs(visits) : null
  const { amount, baseAmount, lineItems, customFields } = values
  const valued = { amount, baseAmount, lineItems, customFields } as Partial<Opportunity>
  const unknown: Partial<Opportunity> = { amount: 0, baseAmount: 0, lineItems: [], customFields: {} }
  const end = { lossReason: values.lossReason ?? null, lossNotes: values.lossNotes ?? null }
  const states = visits.map((_, index) => valuesAfter(visits.slice(0, index + 1), {}, owner.id))
  const names = Object.keys(states.at(-1)!) as (keyof Opportunity)[]
  const present = Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<Opportunity>
  const steps = visits.slice(1).map(({ stage: { kind }, enteredMs }, index): Step<Opportunity> => {
    const isLast = index === visits.length - 2
    const ended = kind === 'OPEN' ? [] : [closing[kind]]
    return {
      atMs: enteredMs,
      actorId: owner.id,
      values: {
        ...(isLast ? { ...present, ...end } : states[index + 1]),
        ...(enteredMs === valuedMs && valued),
      },
      events: ['opportunity.stage_changed', ...ended],
    }
  })
  const created = {
    ...(visits.length > 1 && { ...states[0], lossReason: null, lossNotes: null }),
    ...(valuedMs !== null && unknown),
  }
  return withHistory(random, given, created as Partial<Opportunity>, steps)
}
