import { contactNameAt } from '../../crm/public.ts'
import { activeOrganizationName, noticeAddress, userIdentity } from '../../identity/public.ts'
import type { MailPerson } from '../../kernel/mail/outgoing-mail.ts'
import { quotedName, shownName } from '../../kernel/mail/quoted-name.ts'
import type { RequestContext } from '../../kernel/request.ts'

/** The user who gets the answers to a mail, if the address is verified: customers must not be led to the address of somebody else. */
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

/** `The organization “Acme”`: who sends a mail that comes from the address of the platform. */
export async function sendingOrganization(ctx: RequestContext): Promise<string> {
  const organization = quotedName((await activeOrganizationName(ctx)) ?? '')
  return organization ? `The organization ${organization}` : 'An organization'
}

/** What the mail says of answers, and the header that leads them to the sender. */
export const answersTo = (sender: MailPerson | null) => ({
  lines: sender ? ['If you have questions, answer this mail.'] : [],
  header: sender ? { replyTo: sender } : {},
})
