import type { ConversationCitation, ConversationToolCall } from '../conversation/conversation.types.ts'
import type { ModelUsage } from '../../kernel/language-model/language-model.ts'

/** Parts of an answer, in the order in which they happen. `begin` comes when no limit refuses the answer; `end` comes last. */
export type AnswerEvent =
  | { readonly kind: 'begin' }
  | { readonly kind: 'token'; readonly delta: string }
  | { readonly kind: 'tool'; readonly call: ConversationToolCall }
  | { readonly kind: 'citation'; readonly citation: ConversationCitation }
  /** Records that a model was given, whether or not it names them. */
  | { readonly kind: 'read'; readonly records: readonly ConversationCitation[] }
  | { readonly kind: 'end'; readonly model: string | null; readonly notUnderstood: readonly string[] }
  /** Of one call of a model: an estimate of what was sent and received so far, then what the provider says. */
  | { readonly kind: 'usage'; readonly step: number; readonly usage: ModelUsage }

/** What of an answer is there so far. */
export interface AnswerDraft {
  content: string
  model: string | null
  citations: ConversationCitation[]
  toolCalls: ConversationToolCall[]
  /** Types and ids of the records that it is made of, as `ACCOUNT 0190…`. */
  records: Set<string>
  notUnderstood: readonly string[]
  /** Of each call of a model. */
  usages: ModelUsage[]
  /** Null before the first text. */
  firstTokenMs: number | null
  latencyMs: number
}

export const emptyDraft = (): AnswerDraft => ({
  content: '',
  model: null,
  citations: [],
  toolCalls: [],
  records: new Set(),
  notUnderstood: [],
  usages: [],
  firstTokenMs: null,
  latencyMs: 0,
})

/** The tokens of the whole answer. */
export const usageOf = ({ usages }: AnswerDraft): ModelUsage => ({
  inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  isEstimated: usages.some(({ isEstimated }) => isEstimated),
})

function addRecords({ records }: AnswerDraft, read: readonly ConversationCitation[]): void {
  for (const { entityType, entityId } of read) records.add(`${entityType} ${entityId}`)
}

/** Adds an event to the draft. */
export function addEvent(draft: AnswerDraft, event: AnswerEvent, elapsedMs: number): void {
  draft.latencyMs = elapsedMs
  switch (event.kind) {
    case 'token':
      draft.content += event.delta
      draft.firstTokenMs ??= elapsedMs
      break
    case 'tool': {
      const index = draft.toolCalls.findIndex(({ id }) => id === event.call.id)
      if (index < 0) draft.toolCalls.push(event.call)
      else draft.toolCalls[index] = event.call
      break
    }
    case 'citation':
      draft.citations.push(event.citation)
      addRecords(draft, [event.citation])
      break
    case 'read':
      addRecords(draft, event.records)
      break
    case 'usage':
      draft.usages[event.step - 1] = event.usage
      break
    case 'end':
      draft.model = event.model
      draft.notUnderstood = event.notUnderstood
      break
    case 'begin':
  }
}
