import { newId } from '../../kernel/ids.ts'
import { insertRecords } from '../../kernel/record/insert-records.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CleanMail } from '../../kernel/template/clean-mail.ts'
import { activeTracing } from '../../kernel/tracing/tracing.ts'
import { emailMessage, emailThread } from './email.record.ts'
import { senderOf } from './send-email.ts'
import { sentHtmlOf } from './sent-html.ts'

/** A mail of the platform in the name of a user, with content that is clean. */
export interface GeneratedMail {
  readonly messageId: string
  readonly sender: { readonly id: string; readonly email: string }
  /** The mailbox that sends it; null: the mail server of the platform. */
  readonly mailbox: { readonly id: string; readonly email: string } | null
  /** Canonical address. */
  readonly to: string
  readonly subject: string
  readonly content: CleanMail
  readonly templateId: string | null
  /** The thread that it continues, with the Message-IDs of its mails; null: it begins the new thread `threadId`. */
  readonly thread: { readonly messageIds: readonly string[] } | null
  readonly threadId: string
  readonly contactId: string | null
  readonly leadId: string | null
  readonly accountId: string | null
  /** Of a sequence: it is sent outside of the send window, too. */
  readonly ignoresWindow: boolean
}

const fromOf = ({ mailbox, sender }: GeneratedMail): string => mailbox?.email ?? sender.email

/**
 * Queues mails in the transaction of `ctx`, with a number of statements that does not depend on theirs. What a user's mail is checked for
 * must have been checked.
 */
export async function queueMails(ctx: RequestContext<'keys'>, mails: readonly GeneratedMail[]): Promise<void> {
  if (mails.length === 0) return
  const { organizationId } = ctx.caller
  const createdAt = ctx.clock.now().toISOString()
  const common = ({ sender }: GeneratedMail) => ({
    organizationId,
    ownerId: sender.id,
    createdById: sender.id,
    updatedById: sender.id,
    createdAt,
  })
  const eventOf = ({ sender }: GeneratedMail) => ({ actorId: sender.id, eventId: newId() })
  await insertRecords(
    ctx.db,
    emailThread,
    mails
      .filter(({ thread }) => thread === null)
      .map((mail) => ({
        ...eventOf(mail),
        values: {
          ...common(mail),
          id: mail.threadId,
          subject: mail.subject,
          status: 'OPEN',
          participants: [...new Set([fromOf(mail), mail.to])],
          contactId: mail.contactId,
          leadId: mail.leadId,
          accountId: mail.accountId,
        },
      })),
  )
  await insertRecords(
    ctx.db,
    emailMessage,
    mails.map((mail) => ({
      ...eventOf(mail),
      values: {
        ...common(mail),
        id: mail.messageId,
        threadId: mail.threadId,
        direction: 'OUTBOUND',
        kind: 'MAIL',
        fromEmail: fromOf(mail),
        mailboxId: mail.mailbox?.id ?? null,
        toEmails: [mail.to],
        subject: mail.subject,
        bodyHtml: mail.content.bodyHtml,
        bodyText: mail.content.bodyText,
        internetMessageId: `<${mail.messageId}@${senderOf(ctx, mail.mailbox).domain}>`,
        inReplyTo: mail.thread?.messageIds.at(-1) ?? null,
        referenceIds: [...(mail.thread?.messageIds ?? [])],
        status: 'QUEUED',
        templateId: mail.templateId,
        sentHtml: sentHtmlOf(ctx, mail.messageId, mail.content, { trackOpens: true, trackClicks: true }),
        links: [...mail.content.links],
      },
    })),
  )
  await ctx.db.query(
    `insert into outreach.outgoing_email (organization_id, id, sender_id, ignores_window, traceparent)
     select $1, mail.id, mail.sender_id, mail.ignores_window, $2
     from unnest($3::uuid[], $4::uuid[], $5::boolean[]) as mail (id, sender_id, ignores_window)`,
    [
      organizationId,
      activeTracing()?.traceparent() ?? null,
      mails.map(({ messageId }) => messageId),
      mails.map(({ mailbox }) => senderOf(ctx, mailbox).senderId),
      mails.map(({ ignoresWindow }) => ignoresWindow),
    ],
  )
}
