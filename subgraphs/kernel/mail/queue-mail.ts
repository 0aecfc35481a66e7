import { tellMail } from '../dry-run.ts'
import { newId } from '../ids.ts'
import type { RequestContext } from '../request.ts'
import type { MailedRecord } from './customer-mails.ts'
import { countMail, type MailKind } from './mail-limits.ts'
import type { EncodedAttachment, MailAttachment, MailPerson } from './outgoing-mail.ts'
import type { SealedColumn } from '../secrets/rotate.ts'
import { activeTracing } from '../tracing/tracing.ts'
import { platformId } from '../secrets/vault.ts'

/** Maximum bytes of all attachments of a mail: they are stored in its row, and many mail servers refuse larger mails. */
export const attachmentBytesMax = 5_000_000

export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface MailDraft extends MailContent {
  readonly attachments?: readonly MailAttachment[]
  readonly unsubscribeUrl?: string
  readonly replyTo?: MailPerson
  /** The record that a mail to a customer is about. */
  readonly record?: MailedRecord
  /** The mail is not sent after this time. */
  readonly expiresAt: Date
}

export interface MailRequest {
  readonly to: string
  readonly kind: MailKind
  /** No user has this address. Everything is done as for a user, so that the response time reveals nothing, but no mail is sent. */
  readonly withheld?: boolean
}

/** The sealed content of a mail. */
export interface StoredContent extends MailContent {
  readonly attachments?: readonly EncodedAttachment[]
  /** A POST to it without a credential ends mails like this one (RFC 8058). */
  readonly unsubscribeUrl?: string
  readonly replyTo?: MailPerson
  readonly record?: MailedRecord
}

function encoded(attachments: readonly MailAttachment[]): EncodedAttachment[] {
  const bytes = attachments.reduce((sum, { content }) => sum + content.length, 0)
  if (bytes > attachmentBytesMax) throw new Error(`The attachments of a mail have ${bytes} bytes.`)
  return attachments.map((attachment) => ({ ...attachment, content: attachment.content.toString('base64') }))
}

/** The place for which the content of a mail is sealed; see `Vault`. */
export const mailPlace = (id: string): string => `kernel.mail/${id}/content`

export const sealedMail: SealedColumn = {
  table: 'kernel.mail',
  column: 'content',
  key: ['id'],
  organization: null,
  place: ({ id }) => mailPlace(String(id)),
}

/**
 * Queues a mail in the transaction of `ctx`; it is sent after the commit. False when a silent limit is exceeded: `draft` is then not
 * called, so that the tokens in earlier mails stay valid.
 */
export async function queueMail(
  ctx: RequestContext<'vault'>,
  { to, kind, withheld = false }: MailRequest,
  draft: () => Promise<MailDraft>,
): Promise<boolean> {
  if (!(await countMail(ctx, kind, to))) return false
  await insertMail(ctx, { to, withheld, organizationId: organizationOf(ctx, kind) }, await draft())
  return true
}

/** A request without a credential belongs to no organization. */
const organizationOf = ({ caller }: RequestContext, kind: MailKind): string | null =>
  kind.of === 'ORGANIZATION' && caller.organizationId !== '' ? caller.organizationId : null

/** Queues a mail of an organization like `queueMail`, but counts it against no limit, because an earlier transaction has counted it. */
export const queueCountedMail = (ctx: RequestContext<'vault'>, to: string, draft: MailDraft): Promise<void> =>
  insertMail(ctx, { to, withheld: false, organizationId: ctx.caller.organizationId }, draft)

interface Addressed {
  readonly to: string
  readonly withheld: boolean
  /** The organization whose mail it is; null: a mail of the platform to a person. */
  readonly organizationId: string | null
}

async function insertMail(
  ctx: RequestContext<'vault'>,
  { to, withheld, organizationId }: Addressed,
  { expiresAt, subject, text, html, unsubscribeUrl, replyTo, record, attachments = [] }: MailDraft,
): Promise<void> {
  tellMail(ctx)
  const id = newId()
  const stored: StoredContent = {
    subject,
    text,
    html,
    attachments: encoded(attachments),
    ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
    ...(replyTo && { replyTo }),
    ...(record && { record }),
  }
  const content = ctx.vault.seal(platformId, mailPlace(id), JSON.stringify(stored))
  await ctx.db.query(
    `insert into kernel.mail (id, recipient, content, state, created_at, expires_at, traceparent, organization_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      to,
      content,
      withheld ? 'WITHHELD' : 'QUEUED',
      ctx.clock.now().toISOString(),
      expiresAt.toISOString(),
      activeTracing()?.traceparent() ?? null,
      organizationId,
    ],
  )
}
