import type { ModelRequest, ModelUsage } from './language-model.ts'

/** Providers count about one token for four bytes of English text, and more for other languages, whose characters have more bytes. */
export const estimatedTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

/** The tokens of a request before its answer, as far as they can be known without the provider. */
export const estimatedPrompt = ({ messages, tools = [] }: ModelRequest): number =>
  estimatedTokens(JSON.stringify(messages)) + (tools.length > 0 ? estimatedTokens(JSON.stringify(tools)) : 0)

/** For an answer whose provider does not say what it used, or that broke off. */
export const estimatedUsage = (request: ModelRequest, received: string): ModelUsage => ({
  inputTokens: estimatedPrompt(request),
  outputTokens: estimatedTokens(received),
  isEstimated: true,
})
