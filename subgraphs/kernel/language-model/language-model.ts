/** One message of a conversation with a language model. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  /** Of an assistant: the tools that it asks for. */
  readonly toolCalls?: readonly ToolCall[]
  /** Of a tool: the call that it answers. */
  readonly toolCallId?: string
}

/** A function that the model may ask for. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly parameters: object
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly arguments: string
}

export interface ModelRequest {
  /** Who pays: limits of the model are per organization. */
  readonly organizationId: string
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly ModelTool[]
  /** The answer must be JSON that matches this schema. The name says what kind of answer it is. */
  readonly answer?: { readonly name: string; readonly schema: object }
  readonly outputTokensMax?: number
  readonly signal?: AbortSignal
}

/** What a call costs, in tokens of the model. */
export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Parts of an answer as they arrive; the end comes last, and once. */
export type ModelEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'toolCall'; readonly call: ToolCall }
  | {
      readonly kind: 'end'
      /** The model that answered. */
      readonly model: string
      readonly reason: 'stop' | 'length' | 'toolCalls'
      readonly usage: ModelUsage
    }

/** The port to a provider of language models, in the shape that providers have. */
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

/** The whole answer, for callers that have no use for its parts. Rejects when the model ends without an end. */
export async function complete(model: LanguageModel, request: ModelRequest): Promise<ModelAnswer> {
  let text = ''
  const toolCalls: ToolCall[] = []
  for await (const event of model.stream(request)) {
    if (event.kind === 'text') text += event.text
    else if (event.kind === 'toolCall') toolCalls.push(event.call)
    else return { text, toolCalls, model: event.model, reason: event.reason, usage: event.usage }
  }
  throw new Error('The language model ended its answer early.')
}
