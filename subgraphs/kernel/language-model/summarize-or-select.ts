import type { RequestContext } from '../request.ts'
import type { ExtractiveSummary, Summarizable } from './extractive-summary.ts'
import { summaryByRules } from './local-model.ts'
import type { ModelUser } from './language-model.ts'
import { hasNoAnswer } from './model-error.ts'
import { cleanPoints, summarize } from './summarize.ts'

/** A summary by the model, or by fixed rules that select sentences if the model gives none; `model` says which. */
export async function summarizeOrSelect(
  { languageModel, work, log }: RequestContext<'languageModel' | 'work'>,
  text: Summarizable,
  user: ModelUser,
): Promise<ExtractiveSummary> {
  try {
    return await summarize(languageModel, text, user)
  } catch (error) {
    if (!hasNoAnswer(error)) throw error
    log.info({ code: error.code }, 'a summary is written by rules, because the model gave none')
    const { model, ...points } = await summaryByRules(work, text, user.organizationId)
    return { ...cleanPoints(points), model }
  }
}
