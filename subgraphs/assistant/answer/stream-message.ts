import type { OperationContext } from '../../kernel/context.ts'
import { isErrorCode, notFound, Refusal } from '../../kernel/errors.ts'
import { portsOf, requestContext, type RequestContext, type Services } from '../../kernel/request.ts'
import { forgetAnswers, runOnce } from '../../kernel/subgraph/idempotency.ts'
import { knownId } from '../conversation/conversation.actions.ts'
import type { ConversationMessageInput } from '../conversation/conversation.inputs.ts'
import { noteSight } from '../conversation/sight.ts'
import { requireConversation, requireMessage } from '../conversation/stored.ts'
import { emptyDraft } from './answer-event.ts'
import { answerEvents } from './answer.ts'
import type { Answering, Asked } from './answering.ts'
import { frames, replayFrames, type Frame } from './frames.ts'
import { chosenMode } from './modes.ts'
import { addMessages, askedOf, leaseConversation, newAnswerIds, refuseFull, withdraw } from './store-answer.ts'

const ports = ['graph', 'languageModel', 'tenants'] as const

export interface StreamedMessage {
  readonly conversationId: string
  readonly input: ConversationMessageInput
}

export interface StreamedAnswer {
  readonly frames: AsyncIterable<Frame>
  /** True if the answer was given before, for the same `Idempotency-Key`. */
  readonly isReplay: boolean
}

interface Started {
  readonly conversationId: string
  readonly messageId: string
}

/** Stores the question and an empty answer, once for each key, and lets no other answer of the conversation begin. */
async function start(
  ctx: Answering,
  { conversationId, input }: StreamedMessage,
): Promise<Started & { readonly asked: Asked }> {
  const { caller, db, clock } = ctx
  const mode = await chosenMode(ctx, input.mode)
  return db.transaction(async (sql) => {
    const row = await requireConversation(sql, caller, conversationId, true)
    refuseFull(row)
    const now = clock.now()
    const ids = newAnswerIds()
    const messageId = ids.id
    const asked = await askedOf(sql, caller, row, input, mode, now)
    await leaseConversation(sql, caller, row, messageId, now)
    await addMessages(sql, caller, row, asked, { ...ids, status: 'RUNNING', draft: emptyDraft(), now })
    return { conversationId, messageId, asked }
  })
}

/** Like `start`; with a key that was used before, the message that was begun then. */
async function startOnce(
  services: Services,
  operation: OperationContext,
  given: StreamedMessage,
): Promise<{ readonly started: Started; readonly asked: Asked | null }> {
  const { caller, idempotency } = operation
  if (!idempotency || caller.kind === 'ANONYMOUS') {
    const { asked, ...started } = await start(contextOf(services, operation), given)
    return { started, asked }
  }
  let asked: Asked | null = null
  const request = { document: 'conversationMessageStream', variables: {}, context: operation }
  const keyed = { services, ports: portsOf(services, ports), request, kinds: new Map() }
  const { data, errors } = await runOnce(keyed, async (ctx) => {
    const { asked: fresh, ...started } = await start(ctx as Answering, given)
    asked = fresh
    noteSight(ctx)
    return { data: { result: started } }
  })
  const [error] = errors ?? []
  if (error) {
    const code = error.extensions?.['code']
    throw new Refusal(isErrorCode(code) ? code : 'INTERNAL', error.message, { ...error.extensions })
  }
  return { started: data!['result'] as Started, asked }
}

const contextOf = (services: Services, operation: OperationContext): RequestContext<(typeof ports)[number]> =>
  requestContext(operation, services, { ports: portsOf(services, ports) })

/** Throws the refusals that a client gets before the first frame: of the input, the conversation and every limit. */
export async function streamMessage(
  services: Services,
  operation: OperationContext,
  wanted: StreamedMessage,
): Promise<StreamedAnswer> {
  const { caller } = operation
  const given = { ...wanted, conversationId: knownId(wanted.conversationId) }
  await services.shapes.load(caller.organizationId)
  // Statements after the client has left must still run, so they do not belong to its request.
  const ctx = { ...contextOf(services, operation), db: services.tenants.of(caller.organizationId) }
  const { started, asked } = await startOnce(services, operation, given)
  const { conversationId, messageId } = started
  if (!asked) {
    const row = await requireConversation(ctx.db, caller, conversationId)
    const message = await requireMessage(ctx.db, caller, row, messageId, ctx.clock.now())
    if (message.status === 'RUNNING')
      throw new Refusal(
        'IDEMPOTENCY_IN_PROGRESS',
        'The answer to this Idempotency-Key is still being written; retry in 1 s.',
        { retryAfter: 1 },
      )
    if (message.isWithheld) throw notFound('A record in the stored answer')
    return { isReplay: true, frames: replayFrames(message) }
  }
  const signal = operation.cancellation?.signal ?? new AbortController().signal
  const running = frames(ctx, started, answerEvents(ctx, asked, signal), asked.mode, signal)
  try {
    // The first frame comes when no limit refuses the answer.
    const first = await running.next()
    return { isReplay: false, frames: begun(first, running) }
  } catch (error) {
    await ctx.db.transaction(async (sql) => {
      await withdraw(sql, caller, conversationId, messageId)
      await forgetAnswers(sql, operation)
    })
    throw error
  }
}

/** The rest of frames that were begun. Whoever stops reading ends them, also before the first reading. */
function begun(first: IteratorResult<Frame>, rest: AsyncGenerator<Frame>): AsyncIterable<Frame> {
  let next: IteratorResult<Frame> | null = first
  const iterator: AsyncIterator<Frame> = {
    next() {
      const found = next
      next = null
      return found ? Promise.resolve(found) : rest.next()
    },
    return: () => rest.return(undefined),
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
