import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { applySignal, type EmailSignal } from '../email/email-status.ts'
import type { Judgement, ReportedRecipient } from './judgement.ts'

/** A sent mail that a report is about. */
export interface ReportedMail {
  readonly id: string
  readonly internetMessageId: string
  readonly recipients: readonly string[]
}

export interface ReceivedReport extends Judgement {
  /** The Message-IDs in the headers of the report, the best first. */
  readonly answered: readonly string[]
  /** The mailbox that got the report; null if it came through a webhook. */
  readonly mailboxId: string | null
}

/** Mail servers give up after five days. */
const daysMax = 7
const columns = `m.id, m.internet_message_id as "internetMessageId", m.to_emails || m.cc_emails || m.bcc_emails as recipients`

/**
 * The mail that a report is about: the one that it names, otherwise the last one to its recipient within a week, because some relays give mails
 * another Message-ID. Null if it is no report, or about no mail.
 */
export async function findReportedMail(ctx: RequestContext, report: ReceivedReport): Promise<ReportedMail | null> {
  if (report.kind === 'MAIL' || report.kind === 'AUTO_REPLY') return null
  const ids = [...new Set([...report.messageIds, ...report.answered])].slice(0, 50)
  return (await namedMail(ctx, ids)) ?? (await lastMailTo(ctx, report))
}

async function namedMail({ db, caller }: RequestContext, ids: readonly string[]): Promise<ReportedMail | null> {
  if (ids.length === 0) return null
  const [found] = await db.query<ReportedMail>(
    `select ${columns} from outreach.email_message m
     where m.organization_id = $1 and m.internet_message_id = any($2::text[]) and m.direction = 'OUTBOUND' and m.deleted_at is null
     order by array_position($2::text[], m.internet_message_id) limit 1`,
    [caller.organizationId, ids],
  )
  return found ?? null
}

/** A mailbox hears only about the mails that it has sent. */
async function lastMailTo(
  ctx: RequestContext,
  { recipients, mailboxId }: ReceivedReport,
): Promise<ReportedMail | null> {
  const emails = recipients.flatMap((each) => each.emails).slice(0, 20)
  if (emails.length === 0) return null
  const now = ctx.clock.now()
  const since = new Date(now.getTime() - daysMax * 86_400_000).toISOString()
  const [found] = await ctx.db.query<ReportedMail>(
    `select ${columns} from outreach.email_thread t
     join outreach.email_message m on m.organization_id = t.organization_id and m.thread_id = t.id
     where t.organization_id = $1 and t.participants && $2::text[] and t.deleted_at is null
       and m.direction = 'OUTBOUND' and m.deleted_at is null and m.sent_at between $3 and $4
       and (m.to_emails || m.cc_emails) && $2::text[] and ($5::uuid is null or m.mailbox_id = $5)
     order by m.sent_at desc, m.id desc limit 1`,
    [ctx.caller.organizationId, emails, since, now.toISOString(), mailboxId],
  )
  return found ?? null
}

function signalOf({ outcome, reason }: ReportedRecipient, recipient: string | null, at: string): EmailSignal {
  const whose = recipient === null ? {} : { recipient }
  if (outcome === 'DELIVERED' || outcome === 'UNSUBSCRIBED') return { kind: outcome, at }
  return outcome === 'COMPLAINED'
    ? { kind: outcome, at, ...whose }
    : { kind: 'BOUNCED', at, bounceType: outcome, reason, ...whose }
}

/**
 * Applies a report, but only for recipients of the mail that it is about, so nobody can report the address of somebody else. Some services hide
 * who complains.
 */
export function applyReport(ctx: RequestContext, { recipients }: Judgement, mail: ReportedMail): Promise<void> {
  const at = ctx.clock.now().toISOString()
  return inTransaction(ctx, async (inner) => {
    for (const each of recipients) {
      const recipient = each.emails.find((email) => mail.recipients.includes(email)) ?? null
      const isHidden =
        each.outcome === 'COMPLAINED' || (each.outcome === 'UNSUBSCRIBED' && mail.recipients.length === 1)
      if (recipient !== null || isHidden) await applySignal(inner, mail.id, signalOf(each, recipient, at))
    }
  })
}
