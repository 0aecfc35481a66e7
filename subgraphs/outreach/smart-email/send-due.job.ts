import { Refusal } from '../../kernel/errors.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { change } from '../../kernel/record/records-of.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { ownerContext } from '../../identity/public.ts'
import { sendDraft } from './smart-email.actions.ts'
import type { SmartEmailDraft } from './smart-email-draft.ts'
import { smartEmailDraft } from './smart-email.record.ts'

/** Drafts of one organization that are sent before the next organization has its turn. */
const turn = 20
/** A limit of mails delays a draft at most this long after its time; then it fails. */
const delayMaxMs = 24 * 3_600_000

interface Due {
  readonly organizationId: string
  readonly id: string
  readonly ownerId: string | null
}

/** The organizations with due drafts, one index entry for each. Those that are suspended wait. */
const dueOrganizations = ({ database }: Services, now: string): Promise<{ organizationId: string }[]> =>
  database.query<{ organizationId: string }>(
    `with recursive found as (
       (select organization_id from outreach.smart_email_draft where status = 'SCHEDULED' and deleted_at is null
        order by organization_id limit 1)
       union all
       select next.organization_id from found cross join lateral (
         select organization_id from outreach.smart_email_draft
         where status = 'SCHEDULED' and deleted_at is null and organization_id > found.organization_id
         order by organization_id limit 1) next
     )
     select found.organization_id as "organizationId" from found
     join identity.organization o on o.id = found.organization_id and o.status <> 'SUSPENDED'
     where exists (
       select from outreach.smart_email_draft d where d.organization_id = found.organization_id
         and d.status = 'SCHEDULED' and d.deleted_at is null and d.next_attempt_at <= $1)`,
    [now],
  )

const dueDrafts = ({ database }: Services, organizationId: string, now: string, after: Position | null) =>
  database.query<Due & { nextAttemptAt: string }>(
    `select organization_id as "organizationId", id, owner_id as "ownerId", next_attempt_at as "nextAttemptAt"
     from outreach.smart_email_draft
     where organization_id = $1 and status = 'SCHEDULED' and deleted_at is null and next_attempt_at <= $2
       and ($3::timestamptz is null or (next_attempt_at, id) > ($3, $4::uuid))
     order by next_attempt_at, id limit ${turn}`,
    [organizationId, now, after?.nextAttemptAt ?? null, after?.id ?? null],
  )

interface Position {
  readonly nextAttemptAt: string
  readonly id: string
}

const isDue = (draft: SmartEmailDraft, now: Date): boolean =>
  draft.status === 'SCHEDULED' && draft.nextAttemptAt !== null && Date.parse(draft.nextAttemptAt) <= now.getTime()

/** Records that a due draft cannot be sent, or when it is tried again. A draft that is not due any more stays as it is. */
async function postpone(services: Services, { organizationId, id }: Due, refusal: Refusal): Promise<void> {
  const ctx = systemContext(services, organizationId)
  const now = services.clock.now()
  await change(ctx, smartEmailDraft, id, (draft) => {
    if (!isDue(draft, now)) return { operation: 'UPDATE', values: {} }
    const next = now.getTime() + Number(refusal.extensions['retryAfter']) * 1000
    if (refusal.status === 429 && next <= Date.parse(draft.scheduledAt!) + delayMaxMs)
      return { operation: 'UPDATE', values: {}, implied: { nextAttemptAt: new Date(next).toISOString() } }
    const implied = { status: 'FAILED', failureReason: refusal.message.slice(0, 500), nextAttemptAt: null } as const
    return { operation: 'UPDATE', values: {}, implied, events: ['smart_email_draft.failed'], isEventReplaced: true }
  })
}

async function sendDue(services: Services, due: Due): Promise<void> {
  const ctx = await ownerContext(services, due.organizationId, due.ownerId)
  try {
    if (!ctx) throw new Refusal('PERMISSION_DENIED', 'The owner of the draft is not active or may only read.')
    await sendDraft(ctx, due.id, null, (draft) => isDue(draft, services.clock.now()))
  } catch (error) {
    // A part of the platform that is busy is tried again at the next tick.
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    await postpone(services, due, error)
  }
}

/** Organizations take turns, so that many due drafts of one do not delay the others. A draft that fails does not stop the rest. */
export async function sendDueDrafts(services: Services): Promise<void> {
  const now = services.clock.now().toISOString()
  let waiting: { organizationId: string; after: Position | null }[] = (await dueOrganizations(services, now)).map(
    ({ organizationId }) => ({ organizationId, after: null }),
  )
  const failures: unknown[] = []
  while (waiting.length > 0) {
    const next: typeof waiting = []
    for (const { organizationId, after } of waiting) {
      const drafts = await dueDrafts(services, organizationId, now, after)
      for (const draft of drafts) await sendDue(services, draft).catch((error: unknown) => failures.push(error))
      if (drafts.length === turn) next.push({ organizationId, after: drafts.at(-1)! })
    }
    waiting = next
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} drafts were not sent; first: ${String(failures[0])}`)
}

/** Each draft is sent once: the mail, its row in the queue and the status SENDING are one transaction. */
export const smartEmailSendDue: Job = { name: 'smartEmail.sendDue', cron: '* * * * *', run: sendDueDrafts }
