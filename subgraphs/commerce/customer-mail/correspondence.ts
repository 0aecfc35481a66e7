import { contactNameAt } from '../../crm/public.ts'
import { activeSeller, noticeAddress, userIdentity } from '../../identity/public.ts'
import type { Letterhead } from '../../kernel/mail/mail-content.ts'
import type { MailPerson } from '../../kernel/mail/outgoing-mail.ts'
import { shownAddress, shownName } from '../../kernel/mail/quoted-name.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { logoPathOf } from '../document/public-document.ts'

/** A user whom customers may answer, if the address is verified: they must not be led to the address of somebody else. */
export async function senderOf(ctx: RequestContext, userId: string | null): Promise<MailPerson | null> {
  if (userId === null || (await noticeAddress(ctx, userId)) === null) return null
  const user = await userIdentity(ctx, userId)
  return user && { name: shownName(user.name) ?? '', address: user.email }
}

export const greetingOfNobody = 'Hello,'

/** Greets the contact of the record at the address of the contact, if the caller sees the name. */
export async function greetingOf(ctx: RequestContext, contactId: string | null, to: string): Promise<string> {
  const name = contactId === null ? null : await contactNameAt(ctx, contactId, to)
  const shown = name && shownName(name)
  return shown ? `Dear ${shown},` : greetingOfNobody
}

/** The organization as a mail to its customer shows it. */
export async function letterheadOf(ctx: RequestContext): Promise<Letterhead> {
  const seller = await activeSeller(ctx)
  const path = seller && logoPathOf(seller)
  return {
    name: shownName(seller?.name ?? '') ?? '',
    address: shownAddress(seller?.address ?? []),
    color: seller?.color ?? null,
    logo: seller?.logo && path ? { ...seller.logo, url: `${ctx.settings.publicUrl}${path}` } : null,
  }
}

/** `The organization “Acme”`: who sends a mail that comes from the address of the platform. */
export const sendingOrganization = ({ name }: Letterhead): string =>
  name === '' ? 'An organization' : `The organization “${name}”`

/** Maximum length of what the sender writes in a mail. */
const messageMax = 2000

export const MessageArg = () =>
  ValueArg('message', () => String, {
    nullable: true,
    max: messageMax,
    description:
      'What the sender writes to the recipient; null for nothing. The mail shows each of its lines as a paragraph.',
  })

/** What the sender writes, a paragraph for each of its lines. */
export function messageLines(sender: MailPerson | null, message: string | null): string[] {
  const lines = (message ?? '').split(/[\r\n]+/).flatMap((line) => line.trim() || [])
  return lines.length === 0 ? [] : [`${sender?.name || 'The sender'} writes:`, ...lines]
}

/** What the mail says of answers, and the header that leads them to the sender, or to the owner of the record if that is not possible. */
export async function answersTo(ctx: RequestContext, sender: MailPerson | null, ownerId: string | null) {
  const replyTo = sender ?? (await senderOf(ctx, ownerId))
  return {
    lines: replyTo ? ['If you have questions, answer this mail.'] : [],
    header: replyTo ? { replyTo } : {},
  }
}
