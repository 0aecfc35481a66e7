import { complete, type LanguageModel, type ModelRequest } from './language-model.ts'

/** What a model has answered as JSON, or why it cannot be used. */
export interface JsonAnswer {
  readonly output: unknown
  readonly flaw: string | null
  /** The last answer as the model wrote it. */
  readonly text: string
  readonly model: string
  /** Tokens of both answers. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Asks a model for JSON, and once more, with what is wrong, if the answer cannot be used. `flawOf` says what is wrong; null if nothing is. */
export async function completeJson(
  model: LanguageModel,
  request: ModelRequest,
  flawOf: (output: unknown) => string | null,
): Promise<JsonAnswer> {
  const first = await attempt(model, request, flawOf)
  if (first.flaw === null) return first
  const repair = `That cannot be used: ${first.flaw} Answer again, with the JSON object only.`
  const messages = [
    ...request.messages,
    { role: 'assistant', content: first.text },
    { role: 'user', content: repair },
  ] as const
  const second = await attempt(model, { ...request, messages }, flawOf)
  return {
    ...second,
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
  }
}

async function attempt(
  languageModel: LanguageModel,
  request: ModelRequest,
  flawOf: (output: unknown) => string | null,
): Promise<JsonAnswer> {
  const { text, model, usage } = await complete(languageModel, request)
  const output = parsed(text)
  const flaw = output === undefined ? 'The answer must be JSON.' : flawOf(output)
  return { output, flaw, text, model, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens }
}

/** Undefined for a text that is no JSON. Models often put JSON into a block of Markdown. */
function parsed(text: string): unknown {
  const [, inner] = /^\s*```(?:json)?\s*([\s\S]*?)```\s*$/.exec(text) ?? []
  try {
    return JSON.parse(inner ?? text)
  } catch {
    return undefined
  }
}
