import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { requireNewStatus, type Transitions } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { emailMessage } from '../email/email.record.ts'
import type { Email } from '../email/email.ts'
import { sendEmail } from '../email/send-email.ts'
import { replyDraft } from './reply-draft.record.ts'
import { isOpen } from './suggest-reply.ts'
import type { ReplyDraft, ReplyDraftStatus } from './reply-draft.ts'

const transitions: Transitions<ReplyDraftStatus> = {
  PENDING: ['APPROVED', 'SENT', 'REJECTED', 'EXPIRED'],
  APPROVED: ['PENDING', 'SENT', 'REJECTED', 'EXPIRED'],
  SENT: [],
  REJECTED: [],
  EXPIRED: [],
}

const requireOpen = (previous: ReplyDraft, to: ReplyDraftStatus): void =>
  requireNewStatus('reply draft', transitions, previous.status, to)

const statusChange = (status: ReplyDraftStatus) => (previous: ReplyDraft) => {
  requireOpen(previous, status)
  return { operation: 'UPDATE' as const, values: {}, implied: { status } }
}

/** What a change may set. The other statuses have operations of their own. */
const editable: Transitions<ReplyDraftStatus> = { ...transitions, PENDING: ['APPROVED'], APPROVED: ['PENDING'] }

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
    (previous) => {
      const status = input.status ?? previous.status
      const isUnchanged = status === previous.status && isOpen(previous)
      if (!isUnchanged) requireNewStatus('reply draft', editable, previous.status, status)
      return { operation: 'UPDATE', values: input }
    },
    { expectedVersion },
  )
}

/** Rejects a draft. It can still be read. */
export async function rejectReplyDraft(
  ctx: RequestContext,
  id: string,
  expectedVersion: number | null,
): Promise<string> {
  return (await change(ctx, replyDraft, id, statusChange('REJECTED'), { expectedVersion })).id
}

/** Sends a draft to the sender of the mail that it answers. The draft is SENT and the mail queued together or not at all. */
export function sendReplyDraft(ctx: RequestContext<'work' | 'keys'>, id: string): Promise<Email> {
  requireWritableRole(ctx)
  const sentMessageId = newId()
  return transactionWithExternalCalls(ctx, async (inner) => {
    const draft = await change(inner, replyDraft, id, (previous) => {
      requireOpen(previous, 'SENT')
      return { operation: 'UPDATE', values: {}, implied: { status: 'SENT' as const, sentMessageId } }
    })
    const answered = await recordsOf(emailMessage).require(inner, draft.replyToMessageId)
    if (answered.direction !== 'INBOUND') throw notFound('The mail')
    const { subject, bodyHtml, threadId } = draft
    const input = { to: [answered.fromEmail], subject, bodyHtml, threadId, trackOpens: true, trackClicks: true }
    return sendEmail(inner, input, sentMessageId)
  })
}
