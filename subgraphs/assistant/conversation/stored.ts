import type { Caller, Role } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { notFound } from '../../kernel/errors.ts'
import type {
  Conversation,
  ConversationContext,
  ConversationCitation,
  ConversationMessage,
  ConversationToolCall,
} from './conversation.types.ts'
import type { AssistantMode, MessageFeedback, MessageRole, MessageStatus } from './conversation.enumerations.ts'
import { hasFewerRights, isBeyondSight, sightValues, withinSight, type StoredMessage } from './sight.ts'

export interface ConversationRow {
  readonly id: string
  readonly title: string | null
  readonly recordId: string | null
  readonly recordType: string | null
  readonly isArchived: boolean
  readonly messageCount: number
  readonly lastMessageAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly answeringId: string | null
  readonly answeringUntil: string | null
}

export const conversationColumns = `id, title, record_id as "recordId", record_type as "recordType", is_archived as "isArchived",
  message_count as "messageCount", last_message_at as "lastMessageAt", created_at as "createdAt", updated_at as "updatedAt",
  answering_id as "answeringId", answering_until as "answeringUntil"`

export function conversationOf(row: ConversationRow): Conversation {
  const { recordId, recordType, answeringId: _answering, answeringUntil: _until, ...shown } = row
  return { ...shown, metadata: recordId === null && recordType === null ? null : { recordId, recordType } }
}

type Owner = Pick<Caller, 'organizationId' | 'userId'>

/** The conversation, if it is one of the user. `isLocked`: it stays as it is until the end of the transaction. */
export async function requireConversation(
  db: Sql,
  { organizationId, userId }: Owner,
  id: string,
  isLocked = false,
): Promise<ConversationRow> {
  const [row] = await db.query<ConversationRow>(
    `select ${conversationColumns} from assistant.conversation where organization_id = $1 and user_id = $2 and id = $3${isLocked ? ' for update' : ''}`,
    [organizationId, userId, id],
    isLocked ? 'WRITE' : 'LOOKUP',
  )
  if (!row) throw notFound('The conversation')
  return row
}

interface MessageRow {
  readonly id: string
  readonly conversationId: string
  readonly replyToId: string | null
  readonly role: MessageRole
  readonly content: string
  readonly mode: AssistantMode
  readonly model: string | null
  readonly context: ConversationContext | null
  readonly status: MessageStatus
  readonly errorCode: string | null
  readonly citations: ConversationCitation[]
  readonly toolCalls: ConversationToolCall[]
  readonly notUnderstood: string[]
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly isEstimated: boolean | null
  readonly latencyMs: number | null
  readonly feedback: MessageFeedback | null
  readonly createdAt: string
  readonly isBeyondSight: boolean
  readonly roleThen: Role | null
  readonly scopesThen: readonly string[] | null
  readonly records: readonly string[] | null
}

const messageColumns = `id, conversation_id as "conversationId", reply_to_id as "replyToId", role, content, mode, model, context, status,
  error_code as "errorCode", citations, tool_calls as "toolCalls", not_understood as "notUnderstood", input_tokens as "inputTokens",
  output_tokens as "outputTokens", is_estimated as "isEstimated", latency_ms as "latencyMs", feedback, created_at as "createdAt",
  ${isBeyondSight('$4', '$5')} as "isBeyondSight", role_then as "roleThen", scopes_then as "scopesThen", records`

/** An answer that nobody writes any more, because its process has ended, is shown as failed, whether or not that was stored. */
function messageOf(caller: Caller, row: MessageRow, isAnswering: boolean): StoredMessage {
  const {
    inputTokens,
    outputTokens,
    isEstimated,
    isBeyondSight: isBeyond,
    roleThen,
    scopesThen,
    records,
    ...message
  } = row
  const isInterrupted = row.status === 'RUNNING' && !isAnswering
  const made = { isBeyondSight: isBeyond, roleThen, scopesThen }
  return {
    ...message,
    records: records ?? message.citations.map(({ entityType, entityId }) => `${entityType} ${entityId}`),
    isWithheld: row.role === 'ASSISTANT' && hasFewerRights(caller, made),
    usage:
      inputTokens === null || outputTokens === null
        ? null
        : { inputTokens, outputTokens, isEstimated: isEstimated === true },
    ...(isInterrupted && { status: 'FAILED', errorCode: 'INTERRUPTED' }),
  }
}

export const isAnswering = ({ answeringId, answeringUntil }: ConversationRow, now: Date): boolean =>
  answeringId !== null && answeringUntil !== null && new Date(answeringUntil) > now

/** The newest messages, at most `limit`, the oldest of them first, as the rights that the caller has now allow. */
export async function messagesOf(
  db: Sql,
  caller: Caller,
  row: ConversationRow,
  now: Date,
  limit: number,
): Promise<ConversationMessage[]> {
  const rows = await db.query<MessageRow>(
    `select * from (
       select ${messageColumns} from assistant.message where organization_id = $1 and conversation_id = $2 order by id desc limit $3
     ) newest order by id`,
    [caller.organizationId, row.id, limit, ...sightValues(caller)],
    'LIST',
  )
  const messages = rows.map((message) =>
    messageOf(caller, message, isAnswering(row, now) && message.id === row.answeringId),
  )
  return withinSight({ caller, db }, messages)
}

export async function requireMessage(
  db: Sql,
  caller: Caller,
  row: ConversationRow,
  id: string,
  now: Date,
): Promise<ConversationMessage> {
  const [message] = await db.query<MessageRow>(
    `select ${messageColumns} from assistant.message where organization_id = $1 and conversation_id = $2 and id = $3`,
    [caller.organizationId, row.id, id, ...sightValues(caller)],
    'LOOKUP',
  )
  if (!message) throw notFound('The message')
  const shown = await withinSight({ caller, db }, [
    messageOf(caller, message, isAnswering(row, now) && row.answeringId === id),
  ])
  return shown[0]!
}
