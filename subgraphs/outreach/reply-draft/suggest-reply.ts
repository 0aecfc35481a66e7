import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Email } from '../email/email.ts'
import type { EmailThread } from '../email/email-thread.ts'
import { composeReply } from './compose-reply.ts'
import { replyDraft } from './reply-draft.record.ts'
import type { ReplyDraft } from './reply-draft.ts'

const draftDays = 14

/** Whether a user can still change, send or reject the draft. */
export const isOpen = ({ status }: Pick<ReplyDraft, 'status'>): boolean => status === 'PENDING' || status === 'APPROVED'

/** Suggests a reply to a received mail, in its transaction. Earlier suggestions of the thread are obsolete. */
export async function suggestReply(ctx: RequestContext, mail: Email, { ownerId }: EmailThread): Promise<void> {
  await expireDraftsOfThread(ctx, mail.threadId)
  const expiresAt = new Date(ctx.clock.now().getTime() + draftDays * 86_400_000).toISOString()
  await save(ctx, replyDraft, {
    operation: 'CREATE',
    previous: null,
    values: {},
    implied: {
      ...composeReply(mail),
      status: 'PENDING',
      threadId: mail.threadId,
      replyToMessageId: mail.id,
      ownerId,
      expiresAt,
    },
  })
}

/** Drafts that nobody needs any longer, because the conversation has gone on. */
export async function expireDraftsOfThread(ctx: RequestContext, threadId: string): Promise<void> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from outreach.reply_draft
     where organization_id = $1 and thread_id = $2 and deleted_at is null and status in ('PENDING', 'APPROVED') order by id limit 100`,
    [ctx.caller.organizationId, threadId],
  )
  for (const { id } of rows) await expireReplyDraft(ctx, id)
}

/** A draft on which somebody has decided in the meantime stays as it is. */
export const expireReplyDraft = (ctx: RequestContext, id: string): Promise<ReplyDraft> =>
  change(ctx, replyDraft, id, ({ status }) => ({
    operation: 'UPDATE',
    values: {},
    implied: isOpen({ status }) ? { status: 'EXPIRED' as const } : {},
  }))
