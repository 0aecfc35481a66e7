import { newId } from '../ids.ts'
import type { RequestContext } from '../request.ts'
import { countMail, type MailKind } from './mail-limits.ts'
import type { SealedColumn } from '../secrets/rotate.ts'
import { activeTracing } from '../tracing/tracing.ts'
import { platformId } from '../secrets/vault.ts'

export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface MailDraft extends MailContent {
  /** The mail is not sent after this time. */
  readonly expiresAt: Date
}

export interface MailRequest {
  readonly to: string
  readonly kind: MailKind
  /** No user has this address. Everything is done as for a user, so that the response time reveals nothing, but no mail is sent. */
  readonly withheld?: boolean
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
  const { expiresAt, subject, text, html } = await draft()
  const id = newId()
  const content = ctx.vault.seal(platformId, mailPlace(id), JSON.stringify({ subject, text, html }))
  await ctx.db.query(
    `insert into kernel.mail (id, recipient, content, state, created_at, expires_at, traceparent)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      id,
      to,
      content,
      withheld ? 'WITHHELD' : 'QUEUED',
      ctx.clock.now().toISOString(),
      expiresAt.toISOString(),
      activeTracing()?.traceparent() ?? null,
    ],
  )
  return true
}
