import { isValued } from './deal-fields.ts'
import type { DemoOpportunity } from './opportunities.ts'
import type { GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

/** The deals with their margins, which are known with the products. */
export function withMargins(input: GeneratorInput, opportunities: readonly DemoOpportunity[]): DemoOpportunity[] {
  const random = new Random(`margins ${input.profile.code}`)
  return opportunities.map((deal) => {
    const { given, visits } = deal
    if (!isValued(visits)) return deal
    const margin = Math.round((Number(given.values.amount) * random.whole(120, 420)) / 1000)
    return { ...deal, given: { ...given, values: { ...given.values, customFields: { margin } } } }
  })
}
