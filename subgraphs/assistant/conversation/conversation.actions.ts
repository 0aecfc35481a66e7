import { lockOf } from '../../kernel/database/locks.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { conversationsMax, messagesMax } from './bounds.ts'
import type { MessageFeedback } from './conversation.enumerations.ts'
import type {
  ConversationCreateInput,
  ConversationListArgs,
  ConversationMetadataInput,
  ConversationUpdateInput,
} from './conversation.inputs.ts'
import type { Conversation, ConversationMessage, ConversationWithMessages } from './conversation.types.ts'
import { noteSight } from './sight.ts'
import { conversationColumns, conversationOf, messagesOf, requireConversation, requireMessage } from './stored.ts'
import type { ConversationRow } from './stored.ts'

/** An id that is no UUID is the id of nothing. */
export function knownId(id: string, what = 'The conversation'): string {
  if (!isId(id)) throw notFound(what)
  return id.toLowerCase()
}

export async function listConversations(
  { caller, db }: RequestContext,
  { isArchived, limit, page }: ConversationListArgs,
): Promise<Conversation[]> {
  const rows = await db.query<ConversationRow>(
    `select ${conversationColumns} from assistant.conversation
     where organization_id = $1 and user_id = $2 and ($3::boolean is null or is_archived = $3)
     order by coalesce(last_message_at, created_at) desc, id desc limit $4 offset $5`,
    [caller.organizationId, caller.userId, isArchived ?? null, limit, (page - 1) * limit],
    'LIST',
  )
  return rows.map(conversationOf)
}

export async function readConversation(ctx: RequestContext, id: string): Promise<ConversationWithMessages> {
  const { caller, db, clock } = ctx
  noteSight(ctx)
  const row = await requireConversation(db, caller, knownId(id))
  return { ...conversationOf(row), messages: await messagesOf(db, caller, row, clock.now(), messagesMax) }
}

const metadataOf = (given: ConversationMetadataInput | null | undefined): (string | null)[] => [
  given?.recordId ?? null,
  given?.recordType ?? null,
]

export function createConversation(ctx: RequestContext, input: ConversationCreateInput): Promise<Conversation> {
  const { caller, clock } = ctx
  const { organizationId, userId } = caller
  return inTransaction(ctx, async ({ db }) => {
    // Two requests at the same time must not exceed the limit together.
    await db.query(`select pg_advisory_xact_lock(${lockOf('conversations')})`, [`${organizationId} ${userId}`], 'WRITE')
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from assistant.conversation where organization_id = $1 and user_id = $2',
      [organizationId, userId],
      'WRITE',
    )
    if (row!.count >= conversationsMax)
      throw refusalInSituation(`You have ${conversationsMax} conversations; delete one first.`)
    const now = clock.now().toISOString()
    const [created] = await db.query<ConversationRow>(
      `insert into assistant.conversation (organization_id, id, user_id, title, record_id, record_type, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $7) returning ${conversationColumns}`,
      [organizationId, newId(), userId, input.title ?? null, ...metadataOf(input.metadata), now],
      'WRITE',
    )
    return conversationOf(created!)
  })
}

export function updateConversation(
  ctx: RequestContext,
  id: string,
  input: ConversationUpdateInput,
): Promise<ConversationWithMessages> {
  const { caller, clock } = ctx
  return inTransaction(ctx, async (inner) => {
    const { db } = inner
    const before = await requireConversation(db, caller, knownId(id), true)
    const { title = before.title, metadata, isArchived } = input
    const [recordId, recordType] = metadata === undefined ? [before.recordId, before.recordType] : metadataOf(metadata)
    const wanted = { title, recordId, recordType, isArchived: isArchived ?? before.isArchived }
    const isChange = Object.entries(wanted).some(([name, value]) => before[name as keyof typeof wanted] !== value)
    if (!isChange) return readConversation(inner, before.id)
    await db.query(
      `update assistant.conversation set title = $3, record_id = $4, record_type = $5, is_archived = $6, updated_at = $7
       where organization_id = $1 and id = $2`,
      [caller.organizationId, before.id, title, recordId, recordType, wanted.isArchived, clock.now().toISOString()],
      'WRITE',
    )
    return readConversation(inner, before.id)
  })
}

/** Deletes the conversations, or one of them, for good. An answer that is being written is then stored nowhere. */
function remove(ctx: RequestContext, id: string | null): Promise<number> {
  const { organizationId, userId } = ctx.caller
  return inTransaction(ctx, async ({ db }) => {
    const deleted = await db.query<{ id: string }>(
      `delete from assistant.conversation where organization_id = $1 and user_id = $2 and ($3::uuid is null or id = $3) returning id`,
      [organizationId, userId, id],
      'WRITE',
    )
    await db.query(
      'delete from assistant.message where organization_id = $1 and conversation_id = any($2::uuid[])',
      [organizationId, deleted.map((row) => row.id)],
      'WRITE',
    )
    return deleted.length
  })
}

export async function deleteConversation(ctx: RequestContext, id: string): Promise<string> {
  if ((await remove(ctx, knownId(id))) === 0) throw notFound('The conversation')
  return id
}

export const deleteConversations = (ctx: RequestContext): Promise<number> => remove(ctx, null)

/** Only answers get feedback. */
export function giveFeedback(
  ctx: RequestContext,
  {
    id,
    messageId,
    feedback,
  }: { readonly id: string; readonly messageId: string; readonly feedback: MessageFeedback | null },
): Promise<ConversationMessage> {
  const { caller, clock } = ctx
  noteSight(ctx)
  return inTransaction(ctx, async ({ db }) => {
    const row = await requireConversation(db, caller, knownId(id), true)
    const message = await requireMessage(db, caller, row, knownId(messageId, 'The message'), clock.now())
    if (message.role !== 'ASSISTANT') throw notFound('An answer with this id')
    await db.query(
      'update assistant.message set feedback = $3 where organization_id = $1 and id = $2',
      [caller.organizationId, message.id, feedback],
      'WRITE',
    )
    return { ...message, feedback }
  })
}
