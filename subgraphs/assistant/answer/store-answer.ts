import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { storableJson } from '../../kernel/json/storable-json.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { historyMax, leaseMs, messagesMax } from '../conversation/bounds.ts'
import type { AssistantMode, MessageStatus } from '../conversation/conversation.enumerations.ts'
import type { ConversationContextInput, ConversationMessageInput } from '../conversation/conversation.inputs.ts'
import type { ConversationContext } from '../conversation/conversation.types.ts'
import { rightsValues, sightValues } from '../conversation/sight.ts'
import { isAnswering, messagesOf, type ConversationRow } from '../conversation/stored.ts'
import { usageOf, type AnswerDraft } from './answer-event.ts'
import type { Asked } from './answering.ts'

type Owner = Pick<Caller, 'organizationId' | 'userId'>

const titleCharacters = 60

/** The title of a conversation that begins with this question. */
const titleOf = (question: string): string => question.trim().replace(/\s+/g, ' ').slice(0, titleCharacters)

/** One answer is written at a time. What was begun by a process that has ended does not count when its lease is over. */
export function refuseBusy(row: ConversationRow, now: Date): void {
  if (!isAnswering(row, now)) return
  const retryAfter = Math.max(1, Math.ceil((new Date(row.answeringUntil!).getTime() - now.getTime()) / 1000))
  throw new Refusal(
    'CONVERSATION_BUSY',
    'Another message of this conversation is being answered; wait until it is complete.',
    {
      retryAfter: Math.min(retryAfter, 5),
    },
  )
}

export function refuseFull({ messageCount }: ConversationRow): void {
  if (messageCount + 2 > messagesMax)
    throw refusalInSituation(`A conversation has at most ${messagesMax} messages; begin a new one.`)
}

const contextOf = (given: ConversationContextInput | null | undefined): ConversationContext | null =>
  given
    ? {
        route: given.route ?? null,
        entityType: given.entityType ?? null,
        entityId: given.entityId ?? null,
        entityName: given.entityName ?? null,
      }
    : null

/** The question with what the conversation has of it. */
export async function askedOf(
  db: Sql,
  caller: Caller,
  row: ConversationRow,
  input: ConversationMessageInput,
  mode: AssistantMode,
  now: Date,
): Promise<Asked> {
  const earlier = await messagesOf(db, caller, row, now, historyMax)
  const history = earlier
    .filter(({ content, status }) => content !== '' && status !== 'RUNNING')
    .map(({ role, content }) => ({ role, content }))
  return { conversationId: row.id, content: input.content, mode, context: contextOf(input.context), history }
}

/** Lets no other answer begin until `releaseConversation`, or until the lease is over. The row must be locked. */
export async function leaseConversation(
  db: Sql,
  { organizationId }: Owner,
  row: ConversationRow,
  answerId: string,
  now: Date,
): Promise<void> {
  refuseBusy(row, now)
  await db.query(
    'update assistant.conversation set answering_id = $3, answering_until = $4 where organization_id = $1 and id = $2',
    [organizationId, row.id, answerId, new Date(now.getTime() + leaseMs).toISOString()],
    'WRITE',
  )
}

export const releaseConversation = (
  db: Sql,
  { organizationId }: Owner,
  id: string,
  answerId: string,
): Promise<unknown> =>
  db.query(
    `update assistant.conversation set answering_id = null, answering_until = null
     where organization_id = $1 and id = $2 and answering_id = $3`,
    [organizationId, id, answerId],
    'WRITE',
  )

/** What was left by a process that has ended in the middle of an answer. */
const failInterrupted = (db: Sql, { organizationId }: Owner, id: string): Promise<unknown> =>
  db.query(
    `update assistant.message set status = 'FAILED', error_code = 'INTERRUPTED'
     where organization_id = $1 and conversation_id = $2 and status = 'RUNNING'`,
    [organizationId, id],
    'WRITE',
  )

/** The id of an answer, and that of its question, which is older: messages are in the order of their ids. */
export interface AnswerIds {
  readonly questionId: string
  readonly id: string
}

export function newAnswerIds(): AnswerIds {
  const questionId = newId()
  return { questionId, id: newId() }
}

/** Adds the question and its answer, complete or still empty. */
export async function addMessages(
  db: Sql,
  caller: Caller,
  row: ConversationRow,
  asked: Asked,
  answer: AnswerIds & { readonly status: MessageStatus; readonly draft: AnswerDraft; readonly now: Date },
): Promise<void> {
  const { organizationId, userId } = caller
  const at = answer.now.toISOString()
  const { questionId } = answer
  await failInterrupted(db, caller, row.id)
  await db.query(
    `insert into assistant.message (organization_id, id, conversation_id, user_id, role, content, mode, context, status, created_at)
     values ($1, $2, $3, $4, 'USER', $5, $6, $7, 'COMPLETED', $8)`,
    [organizationId, questionId, row.id, userId, asked.content, asked.mode, JSON.stringify(asked.context), at],
    'WRITE',
  )
  await db.query(
    `insert into assistant.message (organization_id, id, conversation_id, user_id, reply_to_id, role, content, mode, status, created_at,
       seen_owner_ids, hidden_fields, role_then, scopes_then)
     values ($1, $2, $3, $4, $5, 'ASSISTANT', '', $6, 'RUNNING', $7, $8, $9, $10, $11)`,
    [
      organizationId,
      answer.id,
      row.id,
      userId,
      questionId,
      asked.mode,
      at,
      ...sightValues(caller),
      ...rightsValues(caller),
    ],
    'WRITE',
  )
  if (answer.status !== 'RUNNING') await endMessage(db, caller, { ...answer, errorCode: null })
  await db.query(
    `update assistant.conversation set message_count = message_count + 2, last_message_at = $3, updated_at = $3, title = coalesce(title, $4)
     where organization_id = $1 and id = $2`,
    [organizationId, row.id, at, titleOf(asked.content)],
    'WRITE',
  )
}

/** Stores the end of an answer. Nothing is stored if the conversation was deleted, or if the lease was over and it counts as interrupted. */
export async function endMessage(
  db: Sql,
  { organizationId }: Owner,
  end: {
    readonly id: string
    readonly status: MessageStatus
    readonly errorCode: string | null
    readonly draft: AnswerDraft
  },
): Promise<boolean> {
  const { draft } = end
  const usage = usageOf(draft)
  const ended = await db.query(
    `update assistant.message set status = $3, error_code = $4, content = $5, model = $6, citations = $7, tool_calls = $8, not_understood = $9,
       input_tokens = $10, output_tokens = $11, is_estimated = $12, latency_ms = $13, first_token_ms = $14, records = $15
     where organization_id = $1 and id = $2 and status = 'RUNNING' returning id`,
    [
      organizationId,
      end.id,
      end.status,
      end.errorCode,
      draft.content,
      draft.model,
      storableJson(draft.citations),
      storableJson(draft.toolCalls),
      [...draft.notUnderstood],
      usage.inputTokens,
      usage.outputTokens,
      usage.isEstimated,
      Math.round(draft.latencyMs),
      draft.firstTokenMs === null ? null : Math.round(draft.firstTokenMs),
      [...draft.records],
    ],
    'WRITE',
  )
  return ended.length > 0
}

/** Stores the text so far, which remains if the process is killed. */
export const keepPartial = (
  db: Sql,
  { organizationId }: Owner,
  id: string,
  { content, records }: AnswerDraft,
): Promise<unknown> =>
  db.query(
    `update assistant.message set content = $3, records = $4 where organization_id = $1 and id = $2 and status = 'RUNNING'`,
    [organizationId, id, content, [...records]],
    'WRITE',
  )

/** Takes an answer back that no limit allowed to begin, with its question. */
export async function withdraw(db: Sql, { organizationId }: Owner, id: string, answerId: string): Promise<void> {
  const gone = await db.query<{ role: string; content: string }>(
    `delete from assistant.message where organization_id = $1 and conversation_id = $2
       and (id = $3 or id = (select reply_to_id from assistant.message where organization_id = $1 and id = $3)) returning role, content`,
    [organizationId, id, answerId],
    'WRITE',
  )
  await db.query(
    `update assistant.conversation set message_count = message_count - $3, title = case when message_count = $3 and title = $4 then null else title end,
       last_message_at = (select max(created_at) from assistant.message where organization_id = $1 and conversation_id = $2)
     where organization_id = $1 and id = $2`,
    [organizationId, id, gone.length, titleOf(gone.find(({ role }) => role === 'USER')?.content ?? '')],
    'WRITE',
  )
}
