import { threadTask } from '../work/thread-task.ts'
import type { WorkPool } from '../work/work-pool.ts'
import { summaryOf, type ExtractiveSummary, type Summarizable } from './extractive-summary.ts'
import type { LanguageModel, ModelRequest } from './language-model.ts'
import { summaryAnswer } from './summarize.ts'

type Summarizer = (text: Summarizable, organizationId: string) => Promise<ExtractiveSummary>

/** The local model uses no tokens of a provider. */
const noUsage = { inputTokens: 0, outputTokens: 0 }

function summarizableIn({ messages, answer }: ModelRequest): Summarizable {
  if (answer?.name !== summaryAnswer) throw new Error('The local model supports only summaries.')
  return JSON.parse(messages.findLast(({ role }) => role === 'user')!.content) as Summarizable
}

const modelOf = (summarizer: Summarizer): LanguageModel => ({
  async *stream(request) {
    const { model, ...summary } = await summarizer(summarizableIn(request), request.organizationId)
    yield { kind: 'text', text: JSON.stringify(summary) }
    yield { kind: 'end', model, reason: 'stop', usage: noUsage }
  },
})

/** Selects sentences of the text instead of writing new ones: no data leaves the machine, and the result is deterministic. */
export const localModel: LanguageModel = modelOf(async (text) => summaryOf(text))

const summaryTask = threadTask<typeof summaryOf>(import.meta.url, './extractive-summary', 'summaryOf')

/** Like `localModel`, in worker threads, because long texts would block the event loop. */
export const localModelIn = (work: WorkPool): LanguageModel =>
  modelOf((text, organizationId) => work.run(summaryTask, text, organizationId))
