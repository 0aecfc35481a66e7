import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { changeStatus } from '../../kernel/record/change-status.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInState, requireNewStatus } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { emailMessage } from '../email/email.record.ts'
import type { Email } from '../email/email.ts'
import { sendEmail } from '../email/send-email.ts'
import { replyDraft } from './reply-draft.record.ts'
import { replyDraftStates } from './reply-draft.states.ts'
import { isOpen } from './suggest-reply.ts'
import type { ReplyDraft, ReplyDraftStatus } from './reply-draft.ts'

/** A change may set PENDING and APPROVED; the other statuses have operations of their own. */
async function requireEditable(ctx: RequestContext, previous: ReplyDraft, to: ReplyDraftStatus): Promise<void> {
  if (isOpen(previous) && isOpen({ status: to })) return
  if (isOpen(previous)) {
    const message = `A change cannot set the status ${to}, which has an operation of its own.`
    throw await refusalInState(ctx, replyDraftStates, previous, message)
  }
  await requireNewStatus(ctx, replyDraftStates, previous, to)
}

/** Changes a draft that is PENDING or APPROVED. */
export function updateReplyDraft(
  ctx: RequestContext,
  id: string,
  input: Partial<ReplyDraft>,
  expectedVersion: number | null,
): Promise<ReplyDraft> {
  return change(
    ctx,
    replyDraft,
    id,
    async (previous, inner) => {
      await requireEditable(inner, previous, input.status ?? previous.status)
      return { operation: 'UPDATE', values: input }
    },
    { expectedVersion, requested: input },
  )
}

/** Rejects a draft. It can still be read. */
export async function rejectReplyDraft(
  ctx: RequestContext,
  id: string,
  expectedVersion: number | null,
): Promise<string> {
  return (await changeStatus(ctx, replyDraft, id, 'REJECTED', expectedVersion)).id
}

/** Sends a draft to the sender of the mail that it answers. The draft is SENT and the mail queued together or not at all. */
export function sendReplyDraft(ctx: RequestContext<'work' | 'keys'>, id: string): Promise<Email> {
  requireWritableRole(ctx)
  const sentMessageId = newId()
  return transactionWithExternalCalls(ctx, async (inner) => {
    const draft = await changeStatus(inner, replyDraft, id, 'SENT', null, () => ({ implied: { sentMessageId } }))
    const answered = await recordsOf(emailMessage).require(inner, draft.replyToMessageId)
    if (answered.direction !== 'INBOUND') throw notFound('The mail')
    const { subject, bodyHtml, fileIds, threadId } = draft
    const input = {
      to: [answered.fromEmail],
      subject,
      bodyHtml,
      fileIds,
      threadId,
      trackOpens: true,
      trackClicks: true,
    }
    return sendEmail(inner, input, sentMessageId)
  })
}
