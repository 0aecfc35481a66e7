import type { ModelTool } from '../../kernel/language-model/language-model.ts'
import type { ConversationCitation } from '../conversation/conversation.types.ts'
import type { Answering } from '../answer/answering.ts'

/** READ only reads. PROPOSE stores a proposal for a person. CONFIRM performs one, so it is never a tool of a language model of the platform. */
export type ToolEffect = 'READ' | 'PROPOSE' | 'CONFIRM'

/** What the person has said and what was read so far in the conversation in which a tool is called. */
export interface Heard {
  readonly conversationId: string
  /** What the person wrote, also the id of the record on the page. */
  readonly said: readonly string[]
  /** Records that tools have returned for this answer, by their ids. */
  readonly returned: ReadonlyMap<string, ConversationCitation>
  /** Whether text of records can have reached the model. */
  readonly isInfluenced: boolean
}

export interface ToolCalling {
  readonly ctx: Answering
  /** Null for a client that calls tools itself. */
  readonly heard: Heard | null
  /** Ends the waiting for a call that changes nothing. */
  readonly signal: AbortSignal | null
}

/** What a tool gives. It is data: it contains text that other people wrote into records. */
export interface ToolOutput {
  readonly content: object
  /** Number of records in it. */
  readonly rows: number
  readonly citations: readonly ConversationCitation[]
  /** What was proposed, and the change in words. */
  readonly proposal?: { readonly proposalId: string; readonly summary: string }
  /** What failed, if it did, without text of others; `content` tells more of it. */
  readonly error?: string
}

export type Arguments = Readonly<Record<string, unknown>>

export interface Tool extends ModelTool {
  readonly title: string
  readonly effect: ToolEffect
  /** Whether its result has text of records. */
  readonly isUntrusted: boolean
  /** Whether a call may reach a service outside of the platform. */
  readonly reachesOutside?: boolean
  run(calling: ToolCalling, given: Arguments): Promise<ToolOutput>
}

/** Maximum bytes of a result as JSON. */
export const resultBytesMax = 16_384
/** Maximum characters of the arguments of a call as JSON. */
export const argumentsMax = 20_000
export const levelsMax = 32
