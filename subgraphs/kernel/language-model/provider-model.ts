import type { LanguageModelSettings } from '../config/language-model.ts'
import { isJsonObject } from '../json/exact-number.ts'
import { OutboundError, type Outbound, type OutboundAnswer } from '../outbound/outbound.ts'
import type { LanguageModel, ModelEvent, ModelRequest } from './language-model.ts'
import { modelFailed, modelUnavailable } from './model-error.ts'

const answerBytesMax = 200_000
const outputTokensMax = 4_000

/** The body of `POST /chat/completions`. The whole answer is asked for at once: what uses it checks it as a whole. */
const bodyOf = ({ name }: LanguageModelSettings, { messages, answer, outputTokensMax: wanted }: ModelRequest): string =>
  JSON.stringify({
    model: name,
    messages: messages.map(({ role, content }) => ({ role, content })),
    max_tokens: Math.min(wanted ?? outputTokensMax, outputTokensMax),
    stream: false,
    ...(answer && {
      response_format: { type: 'json_schema', json_schema: { name: answer.name, schema: answer.schema, strict: true } },
    }),
  })

/** Seconds in Retry-After, which may also be a date. */
function retryAfterOf({ headers }: OutboundAnswer, now: Date): number {
  const text = headers['retry-after'] ?? ''
  if (/^\d+$/.test(text)) return Number(text)
  const until = Date.parse(text)
  return Number.isNaN(until) ? 5 : (until - now.getTime()) / 1000
}

function contentOf(answer: OutboundAnswer, now: Date): Record<string, unknown> {
  const { status, body } = answer
  if (status === 429) throw modelUnavailable('has too many requests', retryAfterOf(answer, now))
  if (status >= 500) throw modelUnavailable('does not answer', retryAfterOf(answer, now))
  if (status < 200 || status > 299) throw modelFailed(`refused the request with status ${status}`)
  try {
    const parsed: unknown = JSON.parse(body.toString())
    if (isJsonObject(parsed)) return parsed
  } catch {
    // No JSON: refused below.
  }
  throw modelFailed('gave an answer that is no JSON object')
}

const countOf = (value: unknown): number => (typeof value === 'number' && Number.isSafeInteger(value) ? value : 0)

function textOf(content: Record<string, unknown>): string {
  const [choice] = Array.isArray(content['choices']) ? (content['choices'] as unknown[]) : []
  if (!isJsonObject(choice) || !isJsonObject(choice['message'])) throw modelFailed('gave an answer without a message')
  if (choice['finish_reason'] === 'length') throw modelFailed('gave an answer that is too long')
  const { content: text } = choice['message']
  if (typeof text !== 'string' || text === '') throw modelFailed('gave an empty answer')
  return text
}

function sendErrorOf(error: unknown): Error {
  if (!(error instanceof OutboundError)) return error as Error
  if (error.reason === 'TOO_LARGE') return modelFailed('gave an answer that is too long')
  return modelUnavailable(error.reason === 'TIMEOUT' ? 'did not answer in time' : 'cannot be reached')
}

/** A language model behind the chat completions API of OpenAI. It calls no tools. Prompts and answers are never logged. */
export const providerModel = (settings: LanguageModelSettings, outbound: Outbound, now: () => Date): LanguageModel => ({
  async *stream(request): AsyncGenerator<ModelEvent> {
    const { url, key, timeoutMs } = settings
    const answer = await outbound
      .send({
        method: 'POST',
        url: `${url}/chat/completions`,
        headers: { 'Content-Type': 'application/json', ...(key !== null && { Authorization: `Bearer ${key}` }) },
        body: bodyOf(settings, request),
        timeoutMs,
        answerBytesMax,
        keepAlive: true,
      })
      .catch((error: unknown) => {
        throw sendErrorOf(error)
      })
    const content = contentOf(answer, now())
    yield { kind: 'text', text: textOf(content) }
    const usage = isJsonObject(content['usage']) ? content['usage'] : {}
    yield {
      kind: 'end',
      model: typeof content['model'] === 'string' ? content['model'].slice(0, 100) : settings.name,
      reason: 'stop',
      usage: { inputTokens: countOf(usage['prompt_tokens']), outputTokens: countOf(usage['completion_tokens']) },
    }
  },
})
