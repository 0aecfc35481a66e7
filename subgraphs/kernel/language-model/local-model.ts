import { threadTask } from '../work/thread-task.ts'
import type { Work, WorkPool } from '../work/work-pool.ts'
import { summaryOf, type Summarizable } from './extractive-summary.ts'
import type { LanguageModel } from './language-model.ts'
import { localComposer, mailsOf } from './local-mail.ts'
import type { MailBrief } from './mail-brief.ts'
import { summaryAnswer } from './summarize.ts'
import { mailsAnswer } from './write-mails.ts'

/** What the local model can do, each for the text of the last user message. */
interface Abilities {
  summary(text: Summarizable, organizationId: string): Promise<ReturnType<typeof summaryOf>>
  mails(brief: MailBrief, organizationId: string): Promise<ReturnType<typeof mailsOf>>
}

/** The local model uses no tokens of a provider. */
const noUsage = { inputTokens: 0, outputTokens: 0, isEstimated: false }

const modelOf = ({ summary, mails }: Abilities): LanguageModel => ({
  async *stream({ organizationId, messages, answer }) {
    const asked: unknown = JSON.parse(messages.findLast(({ role }) => role === 'user')!.content)
    if (answer?.name === summaryAnswer) {
      const { model, ...text } = await summary(asked as Summarizable, organizationId)
      yield { kind: 'text', text: JSON.stringify(text) }
      yield { kind: 'end', model, reason: 'stop', usage: noUsage }
    } else if (answer?.name === mailsAnswer) {
      yield { kind: 'text', text: JSON.stringify({ mails: await mails(asked as MailBrief, organizationId) }) }
      yield { kind: 'end', model: localComposer, reason: 'stop', usage: noUsage }
    } else throw new Error('The local model supports only summaries and mails.')
  },
})

/**
 * Selects sentences of the text instead of writing new ones, and writes mails by fixed rules: no data leaves the machine, and the result
 * is deterministic.
 */
export const localModel: LanguageModel = modelOf({
  summary: async (text) => summaryOf(text),
  mails: async (brief) => mailsOf(brief),
})

const summaryTask = threadTask<typeof summaryOf>(import.meta.url, './extractive-summary', 'summaryOf')
const mailsTask = threadTask<typeof mailsOf>(import.meta.url, './local-mail', 'mailsOf')

/** A summary by the rules alone, in a worker thread. */
export const summaryByRules = (work: Work, text: Summarizable, organizationId: string) =>
  work.run(summaryTask, text, organizationId)

/** Like `localModel`, in worker threads, because long texts would block the event loop. */
export const localModelIn = (work: WorkPool): LanguageModel =>
  modelOf({
    summary: (text, organizationId) => summaryByRules(work, text, organizationId),
    mails: (brief, organizationId) => work.run(mailsTask, brief, organizationId),
  })
