import type { Opportunity } from '../crm/opportunity/opportunity.ts'
import type { DemoAccount } from './accounts.ts'
import { valueOf, type Basket } from './baskets.ts'
import { dayMs } from './calendar.ts'
import type { Visit } from './deal-stages.ts'
import type { GeneratorInput } from './organization.ts'
import { formalName, type Person } from './people.ts'
import type { Random } from './random.ts'
import { forecastReasons, lossNotes, nextSteps, type DealType } from './vocabulary/deals.ts'
import { withSlotsFilled } from './vocabulary/text.ts'

interface TextsInput {
  readonly input: GeneratorInput
  readonly random: Random
  readonly type: DealType
  readonly account: DemoAccount
  readonly person: Person
  readonly basket: Basket
  readonly last: Visit
}

const lossReasons = { PRICE: 24, COMPETITOR: 24, NO_BUDGET: 14, NO_DECISION: 18, TIMING: 10, PRODUCT_FIT: 8, OTHER: 2 }

/** The texts of a deal, and what a client set with the last change of the stage. */
export function textsOf({ input, random, type, account, person, basket, last }: TextsInput) {
  const { profile, midnightMs } = input
  const { company } = account
  const { stage, enteredMs } = last
  const competitor = random.pick(profile.competitors)
  const month = (days: number) =>
    new Date(enteredMs + days * dayMs).toLocaleString('en', { month: 'long', timeZone: 'UTC' })
  const fill = (text: string) =>
    withSlotsFilled(text, {
      product: basket.lines[0]!.product.name,
      city: company.city.name,
      competitor,
      person: formalName(person),
      pain: random.pick(company.industry.painPoints),
      percent: String(random.whole(6, 28)),
      year: String(new Date(enteredMs).getUTCFullYear() + 1),
      month: month(stage.kind === 'LOST' ? random.whole(30, 200) : 0),
    })
  const deal = random.pick(profile.deals[type])
  const lossReason = stage.kind === 'LOST' ? (random.weighted(lossReasons) as Opportunity['lossReason']) : null
  const isContested =
    lossReason === 'COMPETITOR' || `${deal.name}${deal.description}`.includes('{competitor}') || random.chance(0.25)
  const override = stage.kind === 'OPEN' && enteredMs < midnightMs - 2 * dayMs ? overrideOf(random, stage.name) : {}
  return {
    /** Given together with the last stage. */
    given: override,
    values: {
      name: `${company.brand} - ${fill(deal.name)}`,
      description: random.chance(0.75) ? fill(deal.description) : null,
      nextStep: stage.kind === 'OPEN' && random.chance(0.85) ? fill(random.pick(nextSteps[stage.name]!)) : null,
      competitors: isContested ? [competitor] : [],
      lossReason,
      lossNotes: lossReason && random.chance(0.8) ? fill(random.pick(lossNotes[lossReason]!)) : null,
      forecastReason: override.forecastCategory ? fill(random.pick(forecastReasons)) : null,
    },
  }
}

/** Some sellers know better than the stage. */
function overrideOf(random: Random, stage: string): Partial<Pick<Opportunity, 'probability' | 'forecastCategory'>> {
  const isLate = stage === 'PROPOSAL' || stage === 'NEGOTIATION'
  if (isLate && random.chance(0.18)) return { forecastCategory: stage === 'PROPOSAL' ? 'COMMIT' : 'BEST_CASE' }
  return random.chance(0.08) ? { probability: random.whole(1, 18) * 5 } : {}
}

const stagesWithBasket: ReadonlySet<string> = new Set(['NEEDS_ANALYSIS', 'PROPOSAL', 'NEGOTIATION'])

const knownSince = (visits: readonly Visit[]): Visit | undefined =>
  visits.find(({ stage: { name } }) => stagesWithBasket.has(name))

/** Whether the products of the deal are known. */
export const isValued = (visits: readonly Visit[]): boolean => knownSince(visits) !== undefined

/** When the present amount was set. */
export const amountKnownMs = (visits: readonly Visit[]): number => (knownSince(visits) ?? visits[0]!).enteredMs

/** Early deals have no amount or a rough one; after the analysis of the needs it is the value of the basket. */
export function amountOf(random: Random, basket: Basket, visits: readonly Visit[]) {
  const value = valueOf(basket)
  if (knownSince(visits)) return value
  return random.chance(0.15) ? 0 : Math.max(500, Math.round(Number(value) / 500) * 500)
}

/** How the work on an open deal goes. */
export const workOf = (random: Random, { stage }: Visit) => ({
  healthScore: stage.kind === 'OPEN' && random.chance(0.7) ? random.whole(22, 96) : null,
  tags: random.chance(0.15) ? random.some(['key-deal', 'tender', 'multi-site', 'quick-win'], 1, 1) : [],
})
