import { newId } from '../ids.ts'
import type { RequestContext } from '../request.ts'
import { countMail, type MailKind } from './mail-limits.ts'
import type { SealedColumn } from '../secrets/rotate.ts'
import { platformId } from '../secrets/vault.ts'

export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface MailDraft extends MailContent {
  /** After this it is not sent any more. */
  readonly expiresAt: Date
}

export interface MailOrder {
  readonly to: string
  readonly kind: MailKind
  /** Nobody has this address: all is done as for somebody, but nothing is sent. */
  readonly withheld?: boolean
}

/** Where the content of a mail is sealed for. */
export const mailPlace = (id: string): string => `kernel.mail/${id}/content`

export const sealedMail: SealedColumn = {
  table: 'kernel.mail',
  column: 'content',
  key: ['id'],
  organization: null,
  place: ({ id }) => mailPlace(String(id)),
}

/**
 * Asks for a mail in the transaction of `ctx`; it leaves after the commit, or never. False, without a draft made, when there
 * were too many: what was mailed before stays as good as it is.
 */
export async function queueMail(
  ctx: RequestContext<'vault'>,
  { to, kind, withheld = false }: MailOrder,
  draft: () => Promise<MailDraft>,
): Promise<boolean> {
  if (!(await countMail(ctx, kind, to))) return false
  const { expiresAt, subject, text, html } = await draft()
  const id = newId()
  const content = ctx.vault.seal(platformId, mailPlace(id), JSON.stringify({ subject, text, html }))
  await ctx.db.query(
    `insert into kernel.mail (id, recipient, content, state, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, to, content, withheld ? 'WITHHELD' : 'QUEUED', ctx.clock.now().toISOString(), expiresAt.toISOString()],
  )
  return true
}
