import { hasAnswered } from '../../kernel/mail/smtp-transport.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Mailbox } from './mailbox.ts'

/** Whether the mail server of the mailbox gave no answer to the last mail. All processes see the same. */
export async function isSilent({ db }: RequestContext, box: Mailbox): Promise<boolean> {
  const rows = await db.query(
    `select 1 from outreach.mailbox_state where organization_id = $1 and id = $2 and unanswered_at is not null`,
    [box.organizationId, box.id],
  )
  return rows.length > 0
}

/**
 * Sends by the server of the mailbox and records whether it answered. Only the lane of later mails depends on the record, so a failure to
 * write it does not change what has happened to the mail.
 */
export async function observingSilence<T>(
  ctx: RequestContext,
  box: Mailbox,
  wasSilent: boolean,
  send: () => Promise<T>,
): Promise<T> {
  const record = (recorded: Promise<void>): Promise<void> =>
    recorded.catch((error: unknown) => ctx.log.warn({ err: error }, 'whether a mail server answered was not recorded'))
  try {
    const sent = await send()
    if (wasSilent) await record(recordAnswer(ctx, box))
    return sent
  } catch (error) {
    if (!hasAnswered(error)) await record(recordSilence(ctx, box))
    else if (wasSilent) await record(recordAnswer(ctx, box))
    throw error
  }
}

async function recordSilence({ db, clock }: RequestContext, box: Mailbox): Promise<void> {
  await db.query(
    `insert into outreach.mailbox_state (organization_id, id, unanswered_at) values ($1, $2, $3)
     on conflict (organization_id, id) do update set unanswered_at = excluded.unanswered_at`,
    [box.organizationId, box.id, clock.now().toISOString()],
  )
}

/** Also called when the mailbox gets another server. */
export async function recordAnswer({ db }: RequestContext, box: Mailbox): Promise<void> {
  await db.query(`update outreach.mailbox_state set unanswered_at = null where organization_id = $1 and id = $2`, [
    box.organizationId,
    box.id,
  ])
}
