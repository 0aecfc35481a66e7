import type { ModelRequest, ModelUsage } from './language-model.ts'

/** Providers count about one token for four bytes of English text, and more for other languages, whose characters have more bytes. */
const bytesOfToken = 4
export const estimatedTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesOfToken)

/** The tokens of a request before its answer, as far as they can be known without the provider. */
export const estimatedPrompt = ({ messages, tools = [] }: ModelRequest): number =>
  estimatedTokens(JSON.stringify(messages)) + (tools.length > 0 ? estimatedTokens(JSON.stringify(tools)) : 0)

/** What was sent and received so far of an answer that is not complete. */
export class UsageSoFar {
  readonly #inputTokens: number
  #bytes = 0

  constructor(request: ModelRequest) {
    this.#inputTokens = estimatedPrompt(request)
  }

  receive(text: string): ModelUsage {
    this.#bytes += Buffer.byteLength(text)
    return { inputTokens: this.#inputTokens, outputTokens: Math.ceil(this.#bytes / bytesOfToken), isEstimated: true }
  }
}

/** For an answer whose provider does not say what it used, or that broke off. */
export const estimatedUsage = (request: ModelRequest, received: string): ModelUsage => ({
  inputTokens: estimatedPrompt(request),
  outputTokens: estimatedTokens(received),
  isEstimated: true,
})
