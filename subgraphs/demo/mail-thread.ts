import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { Email } from '../outreach/email/email.ts'
import type { EmailThread } from '../outreach/email/email-thread.ts'
import { hourMs, iso } from './calendar.ts'
import type { DemoContact } from './contacts.ts'
import { withHistory, type Step } from './history.ts'
import { commonFields, type DemoUser, type GeneratorInput } from './organization.ts'
import type { Random } from './random.ts'

const minuteMs = 60_000

/** How far the customer went with the first mail. */
export type Reaction = 'REPLIED' | 'OPENED' | 'CLICKED' | 'NONE' | 'BOUNCED'

export interface MailText {
  readonly subject: string
  readonly bodyHtml: string
  readonly bodyText: string
  readonly link: string | null
}

export interface Conversation {
  readonly input: GeneratorInput
  readonly random: Random
  readonly owner: DemoUser
  readonly contact: DemoContact
  readonly address: string
  /** The mails of the owner, oldest first. */
  readonly mails: readonly { readonly text: MailText; readonly queuedMs: number }[]
  readonly reaction: Reaction
  readonly openedMs: number
  readonly repliedMs: number
  readonly reply: string
}

export interface MailThread {
  readonly thread: GeneratedRecord<EmailThread>
  readonly sent: readonly GeneratedRecord<Email>[]
  readonly received: readonly GeneratedRecord<Email>[]
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** When a mail that was queued at this time was sent. */
export const sentMs = (queuedMs: number): number => queuedMs + minuteMs

/** A thread of mails to a contact, with what became of the first one, and the answer. */
export function mailThread(conversation: Conversation): MailThread {
  const { input, random, owner, contact, address, mails, reaction, openedMs, repliedMs } = conversation
  const { values: person } = contact.given
  const [first] = mails
  const common = commonFields(input, random, first!.queuedMs, owner.id)
  const sent: GeneratedRecord<Email>[] = []
  for (const index of mails.keys())
    sent.push(sentMail(conversation, index, common.id, sent[0]?.values.internetMessageId ?? null))
  const received =
    reaction === 'REPLIED' ? [receivedMail(conversation, common.id, sent[0]!.values.internetMessageId!)] : []
  const step = (atMs: number, values: Partial<EmailThread>): Step<EmailThread> => ({ atMs, actorId: null, values })
  const steps = [
    ...mails.map(({ queuedMs }, index) =>
      step(sentMs(queuedMs), {
        status: 'AWAITING_RESPONSE',
        messageCount: index + 1,
        lastMessageAt: iso(sentMs(queuedMs)),
        lastDirection: 'OUTBOUND',
      }),
    ),
    ...(isOpened(reaction) ? [step(openedMs, { openCount: 1 })] : []),
    ...(isFollowed(reaction) && first!.text.link !== null ? [step(openedMs + minuteMs, { clickCount: 1 })] : []),
    ...received.map(() =>
      step(repliedMs, {
        status: 'REPLIED',
        messageCount: mails.length + 1,
        lastMessageAt: iso(repliedMs),
        lastDirection: 'INBOUND',
        firstResponseSeconds: Math.round((repliedMs - sentMs(first!.queuedMs)) / 1000),
        unread: true,
      }),
    ),
  ]
  const created = {
    status: 'OPEN' as const,
    messageCount: 0,
    lastMessageAt: null,
    lastDirection: null,
    firstResponseSeconds: null,
    openCount: 0,
    clickCount: 0,
    unread: false,
  }
  const values = {
    ...common,
    ownerId: owner.id,
    subject: first!.text.subject,
    participants: [owner.email, address],
    contactId: person.id,
    accountId: contact.account.given.values.id,
    ...created,
    ...Object.assign({}, ...steps.toSorted((one, other) => one.atMs - other.atMs).map((one) => one.values)),
  }
  const given = { values, actorId: owner.id, eventId: random.id(first!.queuedMs) }
  return { thread: withHistory(random, given, created, steps), sent, received }
}

const isOpened = (reaction: Reaction): boolean => ['OPENED', 'CLICKED', 'REPLIED'].includes(reaction)
const isFollowed = (reaction: Reaction): boolean => ['CLICKED', 'REPLIED'].includes(reaction)

function sentMail(
  { input, random, owner, address, mails, reaction: firstReaction, openedMs, repliedMs }: Conversation,
  index: number,
  threadId: string,
  inReplyTo: string | null,
): GeneratedRecord<Email> {
  const { text, queuedMs } = mails[index]!
  const { link, ...content } = text
  const reaction = index === 0 ? firstReaction : 'NONE'
  const common = commonFields(input, random, queuedMs, owner.id)
  const event = (atMs: number, name: string, values: Partial<Email>): Step<Email> => ({
    atMs,
    actorId: null,
    values,
    events: [name],
    isEventReplaced: true,
  })
  const at = iso(openedMs)
  const steps = [
    event(sentMs(queuedMs), 'email.sent', { status: 'SENT', sentAt: iso(sentMs(queuedMs)) }),
    ...(reaction === 'BOUNCED'
      ? [event(queuedMs + hourMs, 'email.bounced', { bounceType: 'SOFT', bounceReason: '452 4.2.2 Mailbox full' })]
      : [
          event(queuedMs + 2 * minuteMs, 'email.delivered', {
            status: 'DELIVERED',
            deliveredAt: iso(queuedMs + 2 * minuteMs),
          }),
        ]),
    ...(isOpened(reaction)
      ? [event(openedMs, 'email.opened', { status: 'OPENED', firstOpenedAt: at, lastOpenedAt: at, openCount: 1 })]
      : []),
    ...(isFollowed(reaction) && link !== null
      ? [
          event(openedMs + minuteMs, 'email.clicked', {
            status: 'CLICKED',
            clicks: [{ url: link, at: iso(openedMs + minuteMs) }],
          }),
        ]
      : []),
    ...(reaction === 'REPLIED' ? [event(repliedMs, 'email.replied', { status: 'REPLIED' })] : []),
  ]
  const created = {
    status: 'QUEUED' as const,
    sentAt: null,
    deliveredAt: null,
    firstOpenedAt: null,
    lastOpenedAt: null,
  }
  const before = { ...created, openCount: 0, clicks: [], bounceType: null, bounceReason: null }
  const values = {
    ...common,
    ownerId: owner.id,
    threadId,
    direction: 'OUTBOUND' as const,
    kind: 'MAIL' as const,
    fromEmail: owner.email,
    toEmails: [address],
    ...content,
    internetMessageId: `<${common.id}@demo.example>`,
    ...(inReplyTo !== null && { inReplyTo, referenceIds: [inReplyTo] }),
    links: link === null ? [] : [link],
    ...before,
    ...Object.assign({}, ...steps.map((one) => one.values)),
  }
  return withHistory(random, { values, actorId: owner.id, eventId: random.id(queuedMs) }, before, steps)
}

function receivedMail(
  { input, random, owner, address, mails, repliedMs, reply }: Conversation,
  threadId: string,
  answeredId: string,
): GeneratedRecord<Email> {
  const common = commonFields(input, random, repliedMs, null)
  const values = {
    ...common,
    ownerId: owner.id,
    threadId,
    direction: 'INBOUND' as const,
    kind: 'MAIL' as const,
    fromEmail: address,
    toEmails: [owner.email],
    subject: `Re: ${mails[0]!.text.subject}`,
    bodyText: reply,
    internetMessageId: `<${common.id}@customer.example>`,
    inReplyTo: answeredId,
    referenceIds: [answeredId],
    status: 'DELIVERED' as const,
    sentAt: iso(repliedMs),
    deliveredAt: iso(repliedMs),
  }
  return { values, actorId: null, eventId: random.id(repliedMs) }
}
