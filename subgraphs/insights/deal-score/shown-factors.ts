import { isHidden } from '../../kernel/record/field-security.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { factors, weightedFactors, type FactorKey, type WeightedFactor } from './factors.ts'

export const shapes = {
  opportunity: recordType('opportunity'),
  activity: recordType('activity'),
  contact: recordType('contact'),
}

/** Whether the caller's profile hides a field of deals. */
export const hidesOfDeals = ({ caller }: Pick<RequestContext, 'caller'>, name: string): boolean =>
  isHidden(caller, shapes.opportunity(), name)

/** The factors that the caller's profile shows, with their shares of the score. */
export function shownFactors({ caller }: Pick<RequestContext, 'caller'>): readonly WeightedFactor[] {
  const isShown = (key: FactorKey): boolean =>
    Object.entries(factors[key].needs).every(([object, names]) =>
      names.every((name) => !isHidden(caller, shapes[object as keyof typeof shapes](), name)),
    )
  return weightedFactors(isShown)
}
