import type { Recipient } from '../../../identity/public.ts'
import { mailContent, type MailParts } from '../../../kernel/mail/mail-content.ts'
import type { MailKind } from '../../../kernel/mail/mail-limits.ts'
import { queueMail, type MailDraft } from '../../../kernel/mail/queue-mail.ts'
import { quotedName } from '../../../kernel/mail/quoted-name.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { catalog } from '../catalog/catalog.ts'
import { unsubscribePath, unsubscribeToken } from './unsubscribe.ts'

const hourMs = 3_600_000

/** What a mail says about one notification. */
export interface Mailed {
  readonly event_key: string
  readonly group_key: string
  readonly subject: string | null
  readonly count: number
  readonly priority: string
}

/** A bound for all mails of an organization, so that no event, however often it happens, makes the platform a source of spam. */
const notificationMails: MailKind = {
  name: 'NOTIFICATION',
  of: 'ORGANIZATION',
  guard: null,
  limits: [
    { by: ['ORGANIZATION', 'MAILBOX'], max: 60, windowMs: hourMs, isSilent: true },
    { by: ['ORGANIZATION'], max: 20_000, windowMs: 24 * hourMs, isSilent: true },
  ],
}

/** Lines of one mail; the rest is a number. */
const linesMax = 50

const closing = [
  'You get this mail because of your notification preferences. They are at /v1/notifications/preferences, and in the settings of your web application.',
]

const mailedText = ({ event_key: key, subject }: Mailed): string => {
  const title = catalog.get(key)?.title ?? key
  // Whoever wrote the name must not be able to put a link into a mail.
  const name = subject === null ? null : quotedName(subject)
  return name ? `${title}: ${name}` : title
}

/** One line for each group, in the order of their newest notifications. */
export function digestLines(notifications: readonly Mailed[]): string[] {
  const groups = new Map<string, { readonly first: Mailed; count: number }>()
  for (const one of notifications) {
    const group = groups.get(one.group_key)
    if (group) group.count += one.count
    else groups.set(one.group_key, { first: one, count: one.count })
  }
  const lines = Array.from(groups.values(), ({ first, count }) =>
    count > 1 && first.group_key === first.event_key
      ? `${catalog.get(first.event_key)?.title ?? first.event_key} (${count} times)`
      : `${mailedText(first)}${count > 1 ? ` (${count} times)` : ''}`,
  )
  const more = lines.length - linesMax
  return more > 0 ? [...lines.slice(0, linesMax), `And ${more} more.`] : lines
}

/** Who gets a mail. */
interface Addressee {
  readonly userId: string
  readonly email: string
}

type MailContext = RequestContext<'vault' | 'keys'>

function unsubscribeUrl({ keys, settings, caller }: MailContext, userId: string, mailed: readonly Mailed[]): string {
  const categories = [...new Set(mailed.flatMap(({ event_key: key }) => catalog.get(key)?.category ?? []))]
  const token = unsubscribeToken(keys, { organizationId: caller.organizationId, userId, categories })
  return `${settings.publicUrl}${unsubscribePath}/${token}`
}

function mailOf(ctx: MailContext, userId: string, parts: MailParts, mailed: readonly Mailed[]): MailDraft {
  const urgent = mailed.some(({ priority }) => priority === 'HIGH')
  const [origin] = ctx.settings.mailLinkOrigins
  const action =
    origin === undefined ? {} : { action: { label: 'Open your notifications', url: `${origin}/notifications` } }
  const expiresAt = new Date(ctx.clock.now().getTime() + (urgent ? 24 : 48) * hourMs)
  const url = unsubscribeUrl(ctx, userId, mailed)
  const content = mailContent({
    ...parts,
    ...action,
    closing: [...closing, `To get no more mails of this kind: ${url}`],
  })
  return { ...content, unsubscribeUrl: url, expiresAt }
}

/** Queues a mail for each notification, in the transaction that creates them. */
export async function mailNotifications(
  ctx: MailContext,
  drafts: readonly { readonly row: Mailed; readonly recipient: Pick<Recipient, 'id' | 'email'> }[],
): Promise<void> {
  for (const { row, recipient } of drafts) {
    const subject = catalog.get(row.event_key)!.title
    await queueMail(ctx, { to: recipient.email!, kind: notificationMails }, () =>
      Promise.resolve(mailOf(ctx, recipient.id, { subject, lines: [`${mailedText(row)}.`] }, [row])),
    )
  }
}

/** Queues one mail about several notifications, newest first. */
export async function mailTogether(
  ctx: MailContext,
  { userId, email }: Addressee,
  notifications: readonly Mailed[],
): Promise<void> {
  const count = notifications.reduce((sum, one) => sum + one.count, 0)
  const subject =
    notifications.length === 1 ? catalog.get(notifications[0]!.event_key)!.title : `${count} notifications`
  await queueMail(ctx, { to: email, kind: notificationMails }, () =>
    Promise.resolve(mailOf(ctx, userId, { subject, lines: digestLines(notifications) }, notifications)),
  )
}
