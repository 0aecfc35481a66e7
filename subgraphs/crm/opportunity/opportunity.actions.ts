import { invalid } from '../../kernel/errors.ts'
import { change } from '../../kernel/record/records-of.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decideOpportunity } from './opportunity.decision.ts'
import type { ForecastCategory } from './opportunity.enumerations.ts'
import { opportunity } from './opportunity.record.ts'
import type { Opportunity } from './opportunity.ts'

/** The category stays when the stage changes, until the opportunity is closed or the category is changed again. */
export function setForecastCategory(
  ctx: RequestContext,
  id: string,
  category: ForecastCategory,
  reason: string | null,
  expectedVersion: number | null,
): Promise<Opportunity> {
  if (category === 'CLOSED') {
    const message =
      'category must be PIPELINE, BEST_CASE, COMMIT or OMITTED; move the opportunity to a won stage to close it.'
    throw invalid({ path: 'category', code: 'NOT_ALLOWED', message })
  }
  const values = { forecastCategory: category, forecastReason: reason }
  return change(
    ctx,
    opportunity,
    id,
    async (previous, inner) => {
      if (previous.isClosed) {
        const message = 'Only an open opportunity can get a forecast category; move it to an open stage first.'
        throw refusalInSituation(message)
      }
      const { implied, events } = await decideOpportunity(inner, values, previous)
      // It is the user's word also where the stage has the same category.
      return { operation: 'UPDATE', values, implied: { ...implied, forecastCategoryOverridden: true }, events }
    },
    { expectedVersion, requested: values },
  )
}
