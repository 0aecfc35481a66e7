import { noticeAddress } from '../../identity/public.ts'
import { mailContent } from '../../kernel/mail/mail-content.ts'
import type { MailKind } from '../../kernel/mail/mail-limits.ts'
import { queueMail } from '../../kernel/mail/queue-mail.ts'
import { quotedName } from '../../kernel/mail/quoted-name.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Lead } from '../lead/lead.ts'

const hourMs = 3_600_000

/** A conversion is not refused because its owner has had many mails. */
const leadNotices: MailKind = {
  name: 'LEAD_CONVERTED',
  of: 'ORGANIZATION',
  guard: null,
  limits: [
    { by: ['ORGANIZATION', 'MAILBOX'], max: 100, windowMs: hourMs, isSilent: true },
    { by: ['ORGANIZATION'], max: 2000, windowMs: 24 * hourMs, isSilent: true },
  ],
}

/** Mails the owner of the records of a conversion, unless that is the caller. The mail is sent after the commit. */
export async function notifyOwner(ctx: RequestContext<'vault'>, { name }: Lead, ownerId: string): Promise<void> {
  if (ownerId.toLowerCase() === ctx.caller.userId) return
  const to = await noticeAddress(ctx, ownerId)
  if (to === null) return
  await queueMail(ctx, { to, kind: leadNotices }, async () => {
    const person = quotedName(name)
    const content = mailContent({
      subject: 'A lead of yours was converted',
      lines: [
        `The lead${person ? ` ${person}` : ''} was converted. You own the new account, contact or opportunity of the conversion.`,
      ],
    })
    return { ...content, expiresAt: new Date(ctx.clock.now().getTime() + 48 * hourMs) }
  })
}
