import { defectMessage, Refusal } from '../../kernel/errors.ts'
import type { AssistantMode, MessageStatus } from '../conversation/conversation.enumerations.ts'
import type { ConversationMessage } from '../conversation/conversation.types.ts'
import { addEvent, emptyDraft, usageOf, type AnswerEvent } from './answer-event.ts'
import type { Answering } from './answering.ts'
import { endMessage, keepPartial, releaseConversation } from './store-answer.ts'

/** One event of a stream of an answer. */
export interface Frame {
  readonly event: 'start' | 'token' | 'tool' | 'citation' | 'done' | 'error'
  readonly data: Readonly<Record<string, unknown>>
}

/** How much of an answer a killed process may lose. */
const keepEveryMs = 1_000

interface Place {
  readonly conversationId: string
  readonly messageId: string
}

const startOf = ({ conversationId, messageId }: Place, mode: AssistantMode, model: string | null): Frame => ({
  event: 'start',
  data: { conversationId, messageId, mode, model },
})

const errorOf = (messageId: string, code: string, detail: string, retryAfter?: unknown): Frame => ({
  event: 'error',
  data: { messageId, code, detail, ...(retryAfter !== undefined && { retryAfter }) },
})

function frameOf(event: AnswerEvent): Frame | null {
  switch (event.kind) {
    case 'token':
      return { event: 'token', data: { delta: event.delta } }
    case 'tool': {
      const { id, name, input, status, output } = event.call
      const told = output as { readonly rows?: number; readonly proposalId?: string; readonly summary?: string } | null
      const proposal = told?.proposalId && { proposalId: told.proposalId, summary: told.summary }
      return { event: 'tool', data: { id, name, input, status, rows: told?.rows ?? null, ...proposal } }
    }
    case 'citation':
      return { event: 'citation', data: { ...event.citation } }
    default:
      return null
  }
}

const doneOf = (messageId: string, usage: unknown, latencyMs: number): Frame => ({
  event: 'done',
  data: { messageId, usage, latencyMs: Math.round(latencyMs) },
})

/**
 * The frames of an answer while it is written, and its end in the database: complete, or what there was when it failed or when the client
 * left. The text of all tokens is the stored text. What a limit refuses before the first frame is thrown, and then nothing is stored.
 */
export async function* frames(
  ctx: Answering,
  place: Place,
  events: AsyncIterable<AnswerEvent>,
  mode: AssistantMode,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const { messageId, conversationId } = place
  const draft = emptyDraft()
  const began = performance.now()
  let status: MessageStatus = 'CANCELLED'
  let errorCode: string | null = null
  let hasStarted = false
  let isRefused = false
  let isEnded = false
  let keptLength = 0
  const keep = async (): Promise<void> => {
    if (isEnded || draft.content.length === keptLength) return
    keptLength = draft.content.length
    await keepPartial(ctx.db, ctx.caller, messageId, draft)
  }
  const keeping = setInterval(
    () => void keep().catch((error: unknown) => ctx.log.warn({ err: error }, 'a part of an answer was not stored')),
    keepEveryMs,
  )
  const end = async (): Promise<boolean> => {
    isEnded = true
    return ctx.db.transaction(async (sql) => {
      const isStored = await endMessage(sql, ctx.caller, { id: messageId, status, errorCode, draft })
      await releaseConversation(sql, ctx.caller, conversationId, messageId)
      return isStored
    })
  }
  try {
    let failure: Frame | null = null
    try {
      for await (const event of events) {
        addEvent(draft, event, performance.now() - began)
        if (!hasStarted) {
          hasStarted = true
          yield startOf(place, mode, null)
        }
        const frame = frameOf(event)
        if (frame) yield frame
      }
      status = 'COMPLETED'
    } catch (error) {
      if (!hasStarted && error instanceof Refusal) {
        isRefused = true
        throw error
      }
      if (!signal.aborted) {
        status = 'FAILED'
        const refusal = error instanceof Refusal ? error : null
        errorCode = refusal?.code ?? 'INTERNAL'
        if (!refusal) ctx.log.error({ err: error, requestId: ctx.requestId }, 'an answer of the assistant failed')
        failure = errorOf(messageId, errorCode, refusal?.message ?? defectMessage, refusal?.extensions['retryAfter'])
      }
    }
    const isStored = await end()
    if (!hasStarted) yield startOf(place, mode, null)
    if (!isStored) yield errorOf(messageId, 'NOT_FOUND', 'The conversation was deleted meanwhile.')
    else if (failure) yield failure
    else if (status === 'COMPLETED') yield doneOf(messageId, usageOf(draft), draft.latencyMs)
  } finally {
    clearInterval(keeping)
    // Without an end, the client has left while a frame was sent.
    if (isRefused) await releaseConversation(ctx.db, ctx.caller, conversationId, messageId)
    else if (!isEnded) await end()
  }
}

/** The frames of an answer that was given before. */
export async function* replayFrames(message: ConversationMessage): AsyncGenerator<Frame> {
  const { id, conversationId, mode, model, content, citations, status, errorCode, usage, latencyMs } = message
  yield startOf({ conversationId, messageId: id }, mode, model)
  if (content !== '') yield { event: 'token', data: { delta: content } }
  for (const citation of citations) yield { event: 'citation', data: { ...citation } }
  if (status === 'COMPLETED') yield doneOf(id, usage, latencyMs ?? 0)
  else yield errorOf(id, errorCode ?? status, 'The answer is not complete; send the message again with a new key.')
}
