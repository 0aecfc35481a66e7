import { Readable } from 'node:stream'
import type { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelSettings } from '../config/language-model.ts'
import { Refusal } from '../errors.ts'
import { OutboundError, type Outbound } from '../outbound/outbound.ts'
import {
  answerTokensMax,
  type LanguageModel,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ToolCall,
} from './language-model.ts'
import { modelFailed, modelUnavailable } from './model-error.ts'
import { refusalOfStatus } from './provider-status.ts'
import { estimatedUsage } from './token-estimate.ts'

const answerBytesMax = 4_000_000
/** Characters of the arguments of one call; longer ones come from a model that does not stop. */
export const argumentsMax = 20_000
const silenceMs = 15_000
const totalMs = 60_000

type Fetch = typeof globalThis.fetch
type Provider = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>
type Prompt = Parameters<Provider['doStream']>[0]['prompt']
type Parts = Awaited<ReturnType<Provider['doStream']>>['stream']

/** `fetch` over the one way out, with its checks of addresses. The provider package calls it with plain values only. */
const fetchOver =
  (outbound: Outbound, firstByteMs: number): Fetch =>
  async (input, init = {}) => {
    const { status, headers, body } = await outbound.stream({
      method: 'POST',
      url: input as string,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: init.body as string,
      firstByteMs,
      silenceMs,
      totalMs,
      answerBytesMax,
      ...(init.signal && { signal: init.signal }),
    })
    const names = ['content-type', 'retry-after'] as const
    const kept = names.flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]] as [string, string]],
    )
    return new Response(Readable.toWeb(body) as ReadableStream, { status: bodyStatus(status), headers: kept })
  }

/** `Response` refuses a body with these statuses, which are no answers of a model anyway. */
const bodyStatus = (status: number): number => (status < 200 || [204, 205, 304].includes(status) ? 502 : status)

/** The messages in the form of the provider package. */
function promptOf(messages: readonly ModelMessage[]): Prompt {
  const names = new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name] as const)))
  return messages.map(({ role, content, toolCalls = [], toolCallId = '' }): Prompt[number] => {
    switch (role) {
      case 'system':
        return { role, content }
      case 'user':
        return { role, content: [{ type: 'text', text: content }] }
      case 'assistant':
        return {
          role,
          content: [
            ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
            ...toolCalls.map((call) => ({
              type: 'tool-call' as const,
              toolCallId: call.id,
              toolName: call.name,
              input: inputOf(call),
            })),
          ],
        }
      case 'tool':
        return {
          role,
          content: [
            {
              type: 'tool-result',
              toolCallId,
              toolName: names.get(toolCallId) ?? '',
              output: { type: 'text', value: content },
            },
          ],
        }
    }
  })
}

/** Arguments that are no JSON go back as the text that they are. */
function inputOf({ arguments: text }: ToolCall): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What the client can be told of an error in the middle of a stream. */
function refusalOf(error: unknown, now: Date): Error {
  if (error instanceof OutboundError) {
    if (error.reason === 'TOO_LARGE') return modelFailed('gave an answer that is too long')
    return modelUnavailable(error.reason === 'TIMEOUT' ? 'did not answer in time' : 'cannot be reached')
  }
  if (!(error instanceof Error)) return modelUnavailable('broke its answer off')
  if (error.name === 'AbortError') return error
  const { statusCode, responseHeaders, cause } = error as Error & {
    statusCode?: number
    responseHeaders?: Readonly<Record<string, string>>
  }
  if (typeof statusCode === 'number' && (statusCode < 200 || statusCode > 299))
    return refusalOfStatus(statusCode, responseHeaders ?? {}, now)
  if (cause instanceof OutboundError) return refusalOf(cause, now)
  return modelFailed('gave an answer that cannot be read')
}

/** A provider that asks to wait is not called again at once. */
const mayRetry = (refusal: Error, error: unknown): boolean =>
  refusal instanceof Refusal &&
  refusal.code === 'UNAVAILABLE' &&
  (error as { readonly statusCode?: number }).statusCode !== 429

/** Loaded by the first answer, because most processes give none. */
const openProvider = async ({ url, key, name }: LanguageModelSettings, fetch: Fetch): Promise<Provider> => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({
    name: 'model',
    baseURL: url,
    includeUsage: true,
    fetch,
    ...(key !== null && { apiKey: key }),
  }).chatModel(name)
}

/** A language model behind the chat completions API of OpenAI, whose answers arrive in parts and may call tools. */
export function streamingModel(settings: LanguageModelSettings, outbound: Outbound, now: () => Date): LanguageModel {
  let opened: Promise<Provider> | null = null
  async function open(request: ModelRequest, signal: AbortSignal): Promise<Parts> {
    const provider = await (opened ??= openProvider(settings, fetchOver(outbound, settings.timeoutMs)))
    const { tools = [], messages } = request
    const { stream } = await provider.doStream({
      prompt: promptOf(messages),
      maxOutputTokens: answerTokensMax(request),
      abortSignal: signal,
      ...(tools.length > 0 && {
        tools: tools.map(({ name, description, parameters }) => ({
          type: 'function',
          name,
          description,
          inputSchema: parameters,
        })),
      }),
    })
    return stream
  }
  return {
    async *stream(request): AsyncGenerator<ModelEvent> {
      const leaving = new AbortController()
      const signal = request.signal ? AbortSignal.any([request.signal, leaving.signal]) : leaving.signal
      try {
        for (let attempt = 1; ; attempt++) {
          let hasBegun = false
          try {
            for await (const event of eventsOf(request, settings.name, await open(request, signal))) {
              hasBegun = true
              yield event
            }
            return
          } catch (error) {
            const refusal = refusalOf(error, now())
            // What has arrived was passed on, so a second answer would not continue it.
            if (hasBegun || attempt > 1 || !mayRetry(refusal, error) || signal.aborted) throw refusal
          }
        }
      } finally {
        // Whoever stops reading closes the connection to the provider.
        leaving.abort()
      }
    },
  }
}

async function* eventsOf(request: ModelRequest, name: string, parts: Parts): AsyncGenerator<ModelEvent> {
  let received = ''
  let model = name
  const calls: ToolCall[] = []
  for await (const part of parts) {
    if (part.type === 'error') throw part.error
    if (part.type === 'response-metadata') model = part.modelId?.slice(0, 100) ?? model
    else if (part.type === 'text-delta') {
      received += part.delta
      yield { kind: 'text', text: part.delta }
    } else if (part.type === 'reasoning-delta') received += part.delta
    else if (part.type === 'tool-call') {
      const { toolCallId: id, toolName, input } = part
      received += input
      const call = { id, name: toolName.slice(0, 100), arguments: input.slice(0, argumentsMax) }
      calls.push(call)
      yield { kind: 'toolCall', call }
    } else if (part.type === 'finish') {
      const { unified } = part.finishReason
      if (unified === 'error') throw modelFailed('broke its answer off')
      const { inputTokens, outputTokens } = part.usage
      const isReported = inputTokens.total !== undefined && outputTokens.total !== undefined
      yield {
        kind: 'end',
        model,
        reason: calls.length > 0 ? 'toolCalls' : unified === 'length' ? 'length' : 'stop',
        usage: isReported
          ? { inputTokens: inputTokens.total!, outputTokens: outputTokens.total!, isEstimated: false }
          : estimatedUsage(request, received),
      }
      return
    }
  }
  throw modelUnavailable('broke its answer off')
}
