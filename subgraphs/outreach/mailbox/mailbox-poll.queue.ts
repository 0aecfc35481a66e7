import type { Job } from '../../kernel/jobs/job.ts'
import { Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import { untilAborted } from '../../kernel/queue/deadline.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { RequestContext, Services } from '../../kernel/request.ts'
import { organizationContext } from '../email/organization-context.ts'
import { mailbox } from './mailbox.record.ts'
import { pollMailbox } from './poll-mailbox.ts'

interface MailboxPoll extends QueuedItem {
  readonly mailboxId: string
}

const minuteMs = 60_000

/**
 * Reads mailboxes: one poll of a mailbox at a time, the organizations in turn. A server can hold a slot for minutes, so an organization uses two
 * of a lane, and the poll of a mailbox whose last one failed is a retry: only servers that answer hold slots of the fresh lane again and again.
 */
export const mailboxPollQueue: Queue<MailboxPoll> = {
  name: 'mailbox_poll',
  table: 'outreach.mailbox_poll',
  columns: 'mailbox_id as "mailboxId"',
  leaseMs: 5 * minuteMs,
  attemptMsMax: 4 * minuteMs,
  lanes: { fresh: 8, retry: 4 },
  shares: { organization: 'organization_id', key: 'mailbox_id', perKeyMax: 1, perOrganizationMax: 2 },
  // The next poll is the retry.
  attemptsMax: () => 1,
  retryAfterMs: () => minuteMs,
  retentionMs: 60 * minuteMs,
  failureLevel: 'debug',
  attempt: poll,
}

export const deleteOldPolls: Job = {
  name: 'outreach.forgetPolls',
  cron: '15 * * * *',
  run: (services) => deleteFinishedItems(mailboxPollQueue, services),
}

async function poll(services: Services, item: Leased<MailboxPoll>, signal: AbortSignal): Promise<Outcome> {
  const ctx = organizationContext(services, item.organization!)
  try {
    const box = await recordsOf(mailbox).require(ctx, item.mailboxId)
    if (!box.isEnabled || box.imapHost === null) return { end: 'SKIPPED' }
    const hasMore = await untilAborted(signal, pollMailbox(services, box))
    await recordPoll(ctx, box.id, null)
    if (hasMore) await queuePolls(ctx, [box.id])
    return { end: 'DONE' }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return { end: 'GONE' }
    const { responseText, message } = error as Error & { responseText?: string }
    await recordPoll(ctx, item.mailboxId, (responseText ?? message).replaceAll(/[\p{C}]+/gu, ' ').slice(0, 500))
    return { end: 'FAILED', error: message }
  }
}

/** After failures in a row the next poll is later: 1, 2, 4 … minutes, at most an hour. */
async function recordPoll({ db, caller, clock }: RequestContext, id: string, error: string | null): Promise<void> {
  await db.query(
    `insert into outreach.mailbox_state as s (organization_id, id, polled_at, next_poll_at, failures, last_error)
     values ($1, $2, $3, $3::timestamptz + interval '1 minute', case when $4::text is null then 0 else 1 end, $4)
     on conflict (organization_id, id) do update set polled_at = excluded.polled_at, last_error = excluded.last_error,
       failures = case when $4::text is null then 0 else s.failures + 1 end,
       next_poll_at = $3::timestamptz + least(60, case when $4::text is null then 1 else 2 ^ least(s.failures, 6) end) * interval '1 minute'`,
    [caller.organizationId, id, clock.now().toISOString(), error],
  )
}

/** Each poll is an item of its own. Where the last poll failed, the item begins with one attempt, because the queue runs items with attempts in the retry lane. */
const attemptsSoFar = 'case when state.failures > 0 then 1 else 0 end'

/** Queues a poll for each mailbox that waits for none; returns their number. A unique index allows one waiting poll of a mailbox; one that runs is not waiting. */
export async function queuePolls({ db, caller }: RequestContext, ids: readonly string[]): Promise<number> {
  const rows = await db.query(
    `insert into outreach.mailbox_poll (organization_id, id, mailbox_id, attempts)
     select $1, wanted.id, mailbox_id, ${attemptsSoFar} from unnest($2::uuid[], $3::uuid[]) as wanted (id, mailbox_id)
     left join outreach.mailbox_state state on state.organization_id = $1 and state.id = mailbox_id order by mailbox_id
     on conflict do nothing returning 1`,
    [caller.organizationId, ids.map(() => newId()), ids],
  )
  return rows.length
}

/** Queues the polls that are due, every minute. */
export const queueDuePolls: Job = {
  name: 'outreach.pollMailboxes',
  cron: '* * * * *',
  async run({ database, clock }) {
    await database.query(
      `insert into outreach.mailbox_poll (organization_id, id, mailbox_id, attempts)
       select box.organization_id, gen_random_uuid(), box.id, ${attemptsSoFar} from outreach.mailbox box
       left join outreach.mailbox_state state using (organization_id, id)
       where box.deleted_at is null and box.is_enabled and box.imap_host is not null
         and (state.next_poll_at is null or state.next_poll_at <= $1::timestamptz + interval '10 seconds')
         and not exists (select from outreach.mailbox_poll poll where poll.organization_id = box.organization_id
           and poll.mailbox_id = box.id and poll.state = 'QUEUED')
       on conflict do nothing`,
      [clock.now().toISOString()],
    )
  },
}
