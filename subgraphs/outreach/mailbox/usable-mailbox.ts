import { invalid, Refusal } from '../../kernel/errors.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { mailbox } from './mailbox.record.ts'
import type { Mailbox } from './mailbox.ts'

async function visibleMailbox(ctx: RequestContext, id: string): Promise<Mailbox | null> {
  try {
    return await recordsOf(mailbox).require(ctx, id)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return null
    throw error
  }
}

/** The mailbox that sends a mail: the given one, otherwise that of the last mail of the thread if the caller sees it and it is on. */
export async function senderMailbox(
  ctx: RequestContext,
  given: string | null | undefined,
  threadId: string | null,
): Promise<Mailbox | null> {
  if (given != null) {
    const box = await visibleMailbox(ctx, given)
    const message = 'mailboxId must be the id of an existing mailbox that you can see and that is on.'
    if (!box?.isEnabled) throw invalid({ path: 'mailboxId', code: 'UNKNOWN_REFERENCE', message })
    return box
  }
  if (threadId === null) return null
  const [last] = await ctx.db.query<{ mailboxId: string }>(
    `select mailbox_id as "mailboxId" from outreach.email_message
     where organization_id = $1 and thread_id = $2 and deleted_at is null and mailbox_id is not null order by created_at desc, id desc limit 1`,
    [ctx.caller.organizationId, threadId],
  )
  const box = last ? await visibleMailbox(ctx, last.mailboxId) : null
  return box?.isEnabled ? box : null
}
