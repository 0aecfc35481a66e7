import { dueRecords } from '../../identity/public.ts'
import { organizationContext } from '../email/organization-context.ts'
import { replyDraft } from './reply-draft.record.ts'
import { expireReplyDraft } from './suggest-reply.ts'

/** Expires the drafts on which nobody has decided in time. */
export const replyDraftExpire = dueRecords(replyDraft, {
  name: 'outreach.expireReplyDrafts',
  cron: '25 * * * *',
  by: 'expiresAt',
  of: `status in ('PENDING', 'APPROVED')`,
  work: ({ caller }, { id }, services) => expireReplyDraft(organizationContext(services, caller.organizationId), id),
})
