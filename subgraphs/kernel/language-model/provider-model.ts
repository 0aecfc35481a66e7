import type { LanguageModelSettings } from '../config/language-model.ts'
import { isJsonObject } from '../json/exact-number.ts'
import { OutboundError, type Outbound, type OutboundAnswer } from '../outbound/outbound.ts'
import {
  answerTokensMax,
  type LanguageModel,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
} from './language-model.ts'
import { modelFailed, modelUnavailable } from './model-error.ts'
import { refusalOfStatus } from './provider-status.ts'
import { streamingModel } from './streaming-model.ts'
import { estimatedUsage } from './token-estimate.ts'

const answerBytesMax = 200_000

/** The body of `POST /chat/completions`. */
const bodyOf = ({ name }: LanguageModelSettings, request: ModelRequest): string => {
  const { messages, answer } = request
  return JSON.stringify({
    model: name,
    messages: messages.map(({ role, content }) => ({ role, content })),
    max_tokens: answerTokensMax(request),
    stream: false,
    ...(answer && {
      response_format: { type: 'json_schema', json_schema: { name: answer.name, schema: answer.schema, strict: true } },
    }),
  })
}

function contentOf(answer: OutboundAnswer, now: Date): Record<string, unknown> {
  const { status, body, headers } = answer
  if (status < 200 || status > 299) throw refusalOfStatus(status, headers, now)
  try {
    const parsed: unknown = JSON.parse(body.toString())
    if (isJsonObject(parsed)) return parsed
  } catch {
    // No JSON: refused below.
  }
  throw modelFailed('gave an answer that is no JSON object')
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

function usageOf(content: Record<string, unknown>, request: ModelRequest, text: string): ModelUsage {
  const usage = isJsonObject(content['usage']) ? content['usage'] : {}
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage
  if (!isCount(inputTokens) || !isCount(outputTokens)) return estimatedUsage(request, text)
  return { inputTokens, outputTokens, isEstimated: false }
}

function answerTextOf(content: Record<string, unknown>): string {
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

/** Gives the whole answer at once, for callers that check it as a whole. It calls no tools. Prompts and answers are never logged. */
const wholeModel = (settings: LanguageModelSettings, outbound: Outbound, now: () => Date): LanguageModel => ({
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
    const text = answerTextOf(content)
    yield { kind: 'text', text }
    yield {
      kind: 'end',
      model: typeof content['model'] === 'string' ? content['model'].slice(0, 100) : settings.name,
      reason: 'stop',
      usage: usageOf(content, request, text),
    }
  },
})

/** A language model behind the chat completions API of OpenAI. Answers in a schema come at once, all others in parts. */
export function providerModel(settings: LanguageModelSettings, outbound: Outbound, now: () => Date): LanguageModel {
  const whole = wholeModel(settings, outbound, now)
  const inParts = streamingModel(settings, outbound, now)
  return { stream: (request) => (request.answer ? whole : inParts).stream(request) }
}
