import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Services } from '../../kernel/request.ts'
import { organizationContext } from '../email/organization-context.ts'
import { expireReplyDraft } from './suggest-reply.ts'
import type { ReplyDraft } from './reply-draft.ts'

const batchSize = 200

type DueDraft = Pick<ReplyDraft, 'id' | 'organizationId' | 'expiresAt'>

/** Expires the drafts on which nobody has decided in time. */
export const replyDraftExpire: Job = {
  name: 'outreach.expireReplyDrafts',
  cron: '25 * * * *',
  async run(services) {
    const now = services.clock.now().toISOString()
    await eachInBatches(
      (after: DueDraft | null) => dueDrafts(services, now, after),
      ({ organizationId, id }) => expireReplyDraft(organizationContext(services, organizationId), id),
    )
  },
}

const dueDrafts = ({ database }: Services, now: string, after: DueDraft | null): Promise<DueDraft[]> =>
  database.query<DueDraft>(
    `select organization_id as "organizationId", id, expires_at as "expiresAt" from outreach.reply_draft
     where status in ('PENDING', 'APPROVED') and deleted_at is null and expires_at <= $1
       and ($2::timestamptz is null or (expires_at, id) > ($2, $3::uuid))
     order by expires_at, id limit ${batchSize}`,
    [now, after?.expiresAt ?? null, after?.id ?? null],
  )
