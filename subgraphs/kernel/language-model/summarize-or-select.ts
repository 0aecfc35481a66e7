import type { RequestContext } from '../request.ts'
import type { ExtractiveSummary, Summarizable } from './extractive-summary.ts'
import { summaryByRules } from './local-model.ts'
import { hasNoAnswer } from './model-error.ts'
import { cleanPoints, summarize } from './summarize.ts'

/** A summary by the model, or by fixed rules that select sentences if the model gives none; `model` says which. */
export async function summarizeOrSelect(
  { languageModel, work, caller, log }: RequestContext<'languageModel' | 'work'>,
  text: Summarizable,
): Promise<ExtractiveSummary> {
  const { organizationId, userId, credentialId } = caller
  try {
    return await summarize(languageModel, text, { organizationId, userId, credentialId })
  } catch (error) {
    if (!hasNoAnswer(error)) throw error
    log.info({ code: error.code }, 'a summary is written by rules, because the model gave none')
    const { model, ...points } = await summaryByRules(work, text, organizationId)
    return { ...cleanPoints(points), model }
  }
}
