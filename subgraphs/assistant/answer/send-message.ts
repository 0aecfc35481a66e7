import type { Sql } from '../../kernel/database/sql.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { knownId } from '../conversation/conversation.actions.ts'
import type { ConversationMessageInput } from '../conversation/conversation.inputs.ts'
import type { ConversationMessage } from '../conversation/conversation.types.ts'
import { noteSight } from '../conversation/sight.ts'
import { requireConversation, requireMessage } from '../conversation/stored.ts'
import { addEvent, emptyDraft, type AnswerDraft } from './answer-event.ts'
import { answerEvents } from './answer.ts'
import type { Asked } from './answering.ts'
import { chosenMode } from './modes.ts'
import {
  addMessages,
  askedOf,
  leaseConversation,
  newAnswerIds,
  refuseBusy,
  refuseFull,
  releaseConversation,
  type AnswerIds,
} from './store-answer.ts'

export type Sending = RequestContext<'tenants' | 'graph' | 'languageModel'>

interface Answered extends AnswerIds {
  readonly asked: Asked
  readonly draft: AnswerDraft
}

/**
 * Answers a message. The answer is made while no transaction is open, so a lease keeps other answers of the conversation away. Then the
 * question and the answer are stored together; without an answer, nothing is stored.
 */
export function sendMessage(
  ctx: Sending,
  conversationId: string,
  input: ConversationMessageInput,
): Promise<ConversationMessage> {
  const id = knownId(conversationId)
  return transactionWithExternalCalls(ctx, async (inner) => {
    const { caller, db, clock } = inner
    const answered = await externalCall(inner, `answer in ${id}`, () => prepareAnswer(inner, id, input))
    const row = await requireConversation(db, caller, id, true)
    refuseFull(row)
    await addMessages(db, caller, row, answered.asked, { ...answered, status: 'COMPLETED', now: clock.now() })
    await releaseConversation(db, caller, id, answered.id)
    noteSight(inner)
    return requireMessage(db, caller, row, answered.id, clock.now())
  })
}

/** Checks everything that can be checked before the answer, in the transaction of the request. */
async function prepareAnswer(
  ctx: Sending,
  id: string,
  input: ConversationMessageInput,
): Promise<() => Promise<Answered>> {
  const { caller, db, clock, tenants, cancellation } = ctx
  const mode = await chosenMode(ctx, input.mode)
  const row = await requireConversation(db, caller, id)
  refuseBusy(row, clock.now())
  refuseFull(row)
  const asked = await askedOf(db, caller, row, input, mode, clock.now())
  // The transaction of the request is over when the answer is made.
  const outside = { ...ctx, db: tenants.of(caller.organizationId) }
  return () => leased(outside, id, (ids) => collect(outside, ids, asked, cancellation?.signal))
}

async function leased<T>(
  ctx: Sending & { readonly db: Sql },
  id: string,
  work: (ids: AnswerIds) => Promise<T>,
): Promise<T> {
  const { caller, db, clock } = ctx
  const ids = newAnswerIds()
  await db.transaction(async (sql) => {
    const row = await requireConversation(sql, caller, id, true)
    await leaseConversation(sql, caller, row, ids.id, clock.now())
  })
  try {
    return await work(ids)
  } catch (error) {
    await releaseConversation(db, caller, id, ids.id)
    throw error
  }
}

async function collect(ctx: Sending, ids: AnswerIds, asked: Asked, signal?: AbortSignal): Promise<Answered> {
  const draft = emptyDraft()
  const began = performance.now()
  for await (const event of answerEvents(ctx, asked, signal ?? new AbortController().signal))
    addEvent(draft, event, performance.now() - began)
  return { ...ids, asked, draft }
}
