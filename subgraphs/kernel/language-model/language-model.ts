import { modelFailed } from './model-error.ts'

/** One message of a conversation with a language model. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  /** Only for role assistant: the tool calls that it requests. */
  readonly toolCalls?: readonly ToolCall[]
  /** Only for role tool: the id of the call that it answers. */
  readonly toolCallId?: string
}

/** A function that the model may call. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly parameters: object
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** A JSON object. */
  readonly arguments: string
}

/** For whom a model answers: `modelUserOf` of `identity`. */
export interface ModelUser {
  /** The organization that the call is counted for: limits of the model are per organization. */
  readonly organizationId: string
  /** The user whose tokens are counted. */
  readonly userId: string
  /** The credential of the caller, which has limits of its own. */
  readonly credentialId: string
  /** The organization has switched the standard provider off: fixed rules answer instead, and nothing is sent. */
  readonly isProviderOff: boolean
}

export interface ModelRequest extends ModelUser {
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly ModelTool[]
  /** The answer must be JSON that matches this schema. The name identifies the kind of answer. */
  readonly answer?: { readonly name: string; readonly schema: object }
  readonly outputTokensMax?: number
  /** The name of a configured provider; absent: the standard one. */
  readonly provider?: string
  readonly signal?: AbortSignal
}

/** What an answer may have at most: one in a schema comes as a whole. */
export const answerTokensMax = ({ answer, outputTokensMax = Infinity }: ModelRequest): number =>
  Math.min(outputTokensMax, answer ? 4_000 : 2_000)

/** Tokens used by a call. */
export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** True if the provider did not say it, so that it is estimated from the texts. */
  readonly isEstimated: boolean
}

/** Parts of an answer as they arrive; exactly one `end` comes last. `begin` comes when no limit refuses the call, before the provider is called. */
export type ModelEvent =
  | { readonly kind: 'begin' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'toolCall'; readonly call: ToolCall }
  | {
      readonly kind: 'end'
      /** The model that answered. */
      readonly model: string
      readonly reason: 'stop' | 'length' | 'toolCalls'
      readonly usage: ModelUsage
    }

/** The port to a provider of language models, in the form of the providers' APIs. */
export interface LanguageModel {
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

export interface ModelAnswer {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly model: string
  readonly reason: 'stop' | 'length' | 'toolCalls'
  readonly usage: ModelUsage
}

/** Collects the whole answer, for callers that do not need a stream. Rejects when the stream ends without `end`. */
export async function complete(model: LanguageModel, request: ModelRequest): Promise<ModelAnswer> {
  let text = ''
  const toolCalls: ToolCall[] = []
  for await (const event of model.stream(request)) {
    if (event.kind === 'text') text += event.text
    else if (event.kind === 'toolCall') toolCalls.push(event.call)
    else if (event.kind === 'end')
      return { text, toolCalls, model: event.model, reason: event.reason, usage: event.usage }
  }
  throw new Error('The answer of the language model ended without its last event.')
}

/** The JSON of an answer. */
export function jsonOf({ text }: ModelAnswer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw modelFailed('gave an answer that is no JSON')
  }
}
