import { tellMail } from '../../kernel/dry-run.ts'
import { hash } from 'node:crypto'
import { addressHolders, visibleContacts, visibleLeads } from '../../crm/public.ts'
import { customersGuard, userIdentity } from '../../identity/public.ts'
import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { countMail, type MailKind } from '../../kernel/mail/mail-limits.ts'
import { nextIdFor, pureCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireWritableRole, save } from '../../kernel/record/save.ts'
import { refusalInState } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { cleanMail, CleanMail } from '../../kernel/template/clean-mail.ts'
import { activeTracing } from '../../kernel/tracing/tracing.ts'
import { threadTask } from '../../kernel/work/thread-task.ts'
import { givenValues, withGiven } from '../email-template/email-template.actions.ts'
import { emailTemplate } from '../email-template/email-template.record.ts'
import { emailTemplateStates } from '../email-template/email-template.rules.ts'
import { recordValues } from '../email-template/known-variables.ts'
import { renderTemplate } from '../email-template/render-template.ts'
import type { Mailbox } from '../mailbox/mailbox.ts'
import { senderMailbox } from '../mailbox/usable-mailbox.ts'
import { expireDraftsOfThread } from '../reply-draft/suggest-reply.ts'
import {
  attachmentsOf,
  checkBody,
  checkLinks,
  checkSubject,
  recipientsOf,
  refuseUnfitHtml,
  type Recipients,
} from './email-checks.ts'
import { emailMessage, emailThread } from './email.record.ts'
import type { Email, EmailAttachment } from './email.ts'
import type { EmailThread } from './email-thread.ts'
import type { EmailSendInput } from './send-email.inputs.ts'
import { sentHtmlOf, urlOf } from './sent-html.ts'
import { refuseSuppressed } from './suppression.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000]

/** The limits of mails of users to customers. */
export const userMails: MailKind = {
  name: 'USER',
  of: 'ORGANIZATION',
  guard: customersGuard,
  limits: [
    { by: ['ORGANIZATION', 'MAILBOX'], max: 20, windowMs: dayMs },
    { by: ['SENDER'], max: 200, windowMs: hourMs },
    { by: ['SENDER'], max: 1000, windowMs: dayMs },
    { by: ['ORGANIZATION'], max: 10_000, windowMs: dayMs },
  ],
}

/** Of the mails that a mailbox of the user sends, whose server decides about them. */
const mailboxMails: MailKind = { ...userMails, guard: null }

type Ctx = RequestContext<'work' | 'keys'>

const cleanTask = threadTask<typeof cleanMail>(import.meta.url, '../../kernel/template/clean-mail', 'cleanMail')

interface Content extends CleanMail {
  readonly subject: string
}

const linkNames = ['contactId', 'leadId', 'accountId', 'opportunityId'] as const
type Links = Pick<EmailThread, (typeof linkNames)[number]>

/**
 * Queues a mail. The message, its thread and the row of the queue exist together or not at all, and a worker sends the mail after the
 * commit. Templates are rendered while no transaction is open. `messageId` is the id of the message, for callers that retry.
 * `answeredId`: the mail of the thread that it answers; by default the last one.
 */
export function sendEmail(
  ctx: Ctx,
  input: EmailSendInput,
  messageId: string | null = null,
  answeredId: string | null = null,
): Promise<Email> {
  requireWritableRole(ctx)
  return transactionWithExternalCalls(ctx, async (inner) => {
    // The same in every round, because a rendered template contains it.
    const id = messageId ?? nextIdFor(inner, 'email')
    const recipients = recipientsOf(input)
    await checkLinks(inner, input)
    const attachments = await attachmentsOf(inner, input.fileIds ?? [])
    const thread = input.threadId ? await recordsOf(emailThread).require(inner, input.threadId) : null
    const links = await linksOf(inner, input, recipients, thread)
    const mailbox = await senderMailbox(inner, input.mailboxId, thread?.id ?? null)
    const content = await contentOf(inner, input, links, thread, id)
    await refuseSuppressed(inner, recipients.paths)
    for (const email of recipients.paths.keys()) await countMail(inner, mailbox ? mailboxMails : userMails, email)
    return storeMail(inner, { id, input, recipients, content, links, thread, mailbox, answeredId, attachments })
  })
}

/** The given records, then those of the thread, then the contact or lead with the first address, if the caller sees it. */
async function linksOf(
  ctx: Ctx,
  input: EmailSendInput,
  { to }: Recipients,
  thread: EmailThread | null,
): Promise<Links> {
  const given = Object.fromEntries(
    linkNames.map((name) => [name, input[name]?.toLowerCase() ?? thread?.[name] ?? null]),
  )
  const known = given as unknown as Links
  if (known.contactId || known.leadId) return known
  const holders = await addressHolders(ctx, to.slice(0, 1))
  const ids = (object: string) => holders.filter((holder) => holder.object === object).map((holder) => holder.id)
  const [contacts, leads] = [await visibleContacts(ctx, ids('contact')), await visibleLeads(ctx, ids('lead'))]
  const contact = holders.find((holder) => contacts.has(holder.id))
  if (contact) return { ...known, contactId: contact.id, accountId: known.accountId ?? contact.accountId }
  return { ...known, leadId: ids('lead').find((lead) => leads.has(lead)) ?? null }
}

async function contentOf(
  ctx: Ctx,
  input: EmailSendInput,
  links: Links,
  thread: EmailThread | null,
  id: string,
): Promise<Content> {
  const subject = input.subject == null ? null : checkSubject(input.subject)
  const draft = input.templateId ? await renderedOf(ctx, input, links, id) : writtenOf(input)
  const text = subject ?? draft.subject ?? (thread ? checkSubject(`Re: ${thread.subject}`.slice(0, 255)) : null)
  if (!text) throw invalid({ path: 'subject', code: 'REQUIRED', message: 'subject must have 1 to 255 characters.' })
  const body = { bodyHtml: draft.bodyHtml, bodyText: draft.bodyText }
  const clean = await pureCall(ctx, `clean ${hash('sha256', JSON.stringify(body))}`, async () => {
    const { work, caller } = ctx
    return () => work.run(cleanTask, body, caller.organizationId)
  })
  refuseUnfitHtml(clean)
  return { ...clean, subject: text }
}

/** What is sent, before it is cleaned. */
interface Draft {
  readonly subject: string | null
  readonly bodyHtml: string | null
  readonly bodyText: string | null
}

function writtenOf({ bodyHtml, bodyText, variables }: EmailSendInput): Draft {
  if (variables !== null && variables !== undefined)
    throw invalid({ path: 'variables', code: 'NOT_ALLOWED', message: 'variables must be absent without templateId.' })
  if (bodyHtml == null && bodyText == null)
    throw invalid({ path: 'bodyHtml', code: 'REQUIRED', message: 'bodyHtml, bodyText or templateId is required.' })
  return {
    subject: null,
    bodyHtml: bodyHtml == null ? null : checkBody('bodyHtml', bodyHtml),
    bodyText: bodyText == null ? null : checkBody('bodyText', bodyText),
  }
}

async function renderedOf(ctx: Ctx, input: EmailSendInput, links: Links, id: string): Promise<Draft> {
  if (input.bodyHtml != null || input.bodyText != null)
    throw invalid({ path: 'bodyHtml', code: 'NOT_ALLOWED', message: 'A body must be absent with templateId.' })
  const template = await recordsOf(emailTemplate).require(ctx, input.templateId!)
  if (template.status !== 'ACTIVE') {
    const message = `The template has the status ${template.status}; only an ACTIVE template can be sent.`
    throw await refusalInState(ctx, emailTemplateStates, template, message)
  }
  const unsubscribeUrl = urlOf(ctx, 'UNSUBSCRIBE', id, 0)
  const values = { ...withGiven(await recordValues(ctx, links), givenValues(input.variables)), unsubscribeUrl }
  const key = `render ${hash('sha256', JSON.stringify([template.id, template.version, values]))}`
  const content = await pureCall(ctx, key, async () => () => renderTemplate(ctx, template, values))
  const problems = [
    ...content.missingVariables.map((name) => ['MISSING', name, 'needs a value'] as const),
    ...content.unknownVariables.map((name) => ['UNKNOWN', name, 'must be declared by the template'] as const),
  ].map(([code, name, text]): FieldProblem => {
    const path = `variables.${name}`
    return { path, code, message: `The variable ${name} ${text}.` }
  })
  if (problems.length > 0) throw invalid(...problems)
  return content
}

interface NewMail {
  readonly id: string
  readonly input: EmailSendInput
  readonly recipients: Recipients
  readonly content: Content
  readonly links: Links
  /** Null: the mail begins a thread. */
  readonly thread: EmailThread | null
  /** Null: the mail server of the platform sends it. */
  readonly mailbox: Mailbox | null
  readonly answeredId: string | null
  readonly attachments: readonly EmailAttachment[]
}

async function storeMail(ctx: Ctx, mail: NewMail): Promise<Email> {
  tellMail(ctx)
  const { id, input, content, mailbox } = mail
  const { to, cc, bcc } = mail.recipients
  const sender = await userIdentity(ctx, ctx.caller.userId)
  if (!sender) throw new Refusal('PERMISSION_DENIED', 'Only a user can send mails.')
  const participants = (known: readonly string[]) =>
    [...new Set([...known, mailbox?.email ?? sender.email, ...to, ...cc])].slice(0, 100)
  const thread = await (mail.thread
    ? mail.thread
    : save(ctx, emailThread, {
        operation: 'CREATE',
        previous: null,
        values: {},
        implied: { subject: content.subject, status: 'OPEN', participants: participants([]), ...mail.links },
      }))
  if (mail.thread) await expireDraftsOfThread(ctx, thread.id)
  const earlier = await earlierIds(ctx, thread.id, mail.answeredId)
  const { senderId, domain } = senderOf(ctx, mailbox)
  const fromEmail = mailbox?.email ?? sender.email
  const message = await save(ctx, emailMessage, {
    operation: 'CREATE',
    previous: null,
    values: {},
    implied: {
      id,
      threadId: thread.id,
      direction: 'OUTBOUND',
      kind: 'MAIL',
      fromEmail,
      mailboxId: mailbox?.id ?? null,
      toEmails: [...to],
      ccEmails: [...cc],
      bccEmails: [...bcc],
      subject: content.subject,
      bodyHtml: content.bodyHtml,
      bodyText: content.bodyText,
      internetMessageId: `<${id}@${domain}>`,
      inReplyTo: earlier.at(-1) ?? null,
      referenceIds: earlier,
      status: 'QUEUED',
      attachments: [...mail.attachments],
      templateId: input.templateId?.toLowerCase() ?? null,
      sentHtml: sentHtmlOf(ctx, id, content, input),
      links: [...content.links],
    },
  })
  await ctx.db.query(
    `insert into outreach.outgoing_email (organization_id, id, sender_id, traceparent) values ($1, $2, $3, $4)`,
    [ctx.caller.organizationId, id, senderId, activeTracing()?.traceparent() ?? null],
  )
  return message
}

/** A mailbox sends by itself; mails without one are sent by the mail server of the platform, which organizations share fairly. */
export const senderOf = (
  { caller, settings }: Pick<Ctx, 'settings' | 'caller'>,
  box: { readonly id: string; readonly email: string } | null,
): { senderId: string; domain: string } =>
  box
    ? { senderId: box.id, domain: box.email.slice(box.email.lastIndexOf('@') + 1) }
    : { senderId: caller.organizationId, domain: new URL(settings.publicUrl).hostname }

/** The Message-IDs of the last 20 mails of the thread, oldest first; after them that of the mail that is answered. */
async function earlierIds({ db, caller }: Ctx, threadId: string, answeredId: string | null): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select internet_message_id as id from outreach.email_message
     where organization_id = $1 and thread_id = $2 and deleted_at is null and internet_message_id is not null
     order by id = $3::uuid desc nulls last, created_at desc, id desc limit 20`,
    [caller.organizationId, threadId, answeredId],
  )
  return rows.map((row) => row.id).toReversed()
}
