import { parseEmail } from '../kernel/values/email-address.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { Email } from '../outreach/email/email.ts'
import type { EmailThread } from '../outreach/email/email-thread.ts'
import { dayMs, hourMs, iso, workTime } from './calendar.ts'
import type { DemoContact } from './contacts.ts'
import { withHistory, type Step } from './history.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import { exchangeTexts, type ExchangeText } from './vocabulary/exchanges.ts'

const threadsMax = 16
const minuteMs = 60_000

/** How far the customer went. */
const reactions = ['REPLIED', 'OPENED', 'CLICKED', 'NONE', 'REPLIED', 'BOUNCED'] as const
type Reaction = (typeof reactions)[number]

interface Exchange {
  readonly input: GeneratorInput
  readonly random: Random
  readonly contact: DemoContact
  readonly address: string
  readonly text: ExchangeText
  readonly reaction: Reaction
  readonly sentMs: number
}

/** Threads of mails with customers: some wait for an answer, some were opened or followed, some were answered. */
export function demoEmailThreads(input: GeneratorInput, contacts: readonly DemoContact[]) {
  const random = new Random(`email threads ${input.profile.code}`)
  // The last ones, because the first ones are in sequences, which end with an answer.
  const reachable = contacts
    .filter(({ given: { values } }) => values.email && !values.emailOptOut)
    .slice(-threadsMax)
    .flatMap((contact) => {
      const address = parseEmail(contact.given.values.email!)
      return address === null ? [] : [{ contact, address }]
    })
  const made = reachable.map((person, index) => {
    const sentMs = workTime(random, input.midnightMs - random.whole(3, 40) * dayMs)
    const text = exchangeTexts[index % exchangeTexts.length]!
    return threadOf({ input, random, ...person, text, reaction: reactions[index % reactions.length]!, sentMs })
  })
  return { threads: made.map(({ thread }) => thread), mails: made.flatMap(({ mails }) => mails) }
}

function threadOf(exchange: Exchange): { thread: GeneratedRecord<EmailThread>; mails: GeneratedRecord<Email>[] } {
  const { input, random, contact, address, text, reaction, sentMs } = exchange
  const { owner } = contact.account
  const { values: person } = contact.given
  const common = commonFields(input, random, sentMs, owner.id)
  const openedMs = sentMs + random.whole(1, 5) * hourMs
  const repliedMs = openedMs + random.whole(1, 20) * hourMs
  const sent = sentMail(exchange, common.id, openedMs, repliedMs)
  const answer =
    reaction === 'REPLIED' ? [receivedMail(exchange, common.id, sent.values.internetMessageId!, repliedMs)] : []
  const step = (atMs: number, values: Partial<EmailThread>): Step<EmailThread> => ({ atMs, actorId: null, values })
  const steps = [
    step(sentMs + minuteMs, {
      status: 'AWAITING_RESPONSE',
      messageCount: 1,
      lastMessageAt: iso(sentMs + minuteMs),
      lastDirection: 'OUTBOUND',
    }),
    ...(isOpened(reaction) ? [step(openedMs, { openCount: 1 })] : []),
    ...(isFollowed(reaction) ? [step(openedMs + minuteMs, { clickCount: 1 })] : []),
    ...answer.map(() =>
      step(repliedMs, {
        status: 'REPLIED',
        messageCount: 2,
        lastMessageAt: iso(repliedMs),
        lastDirection: 'INBOUND',
        firstResponseSeconds: Math.round((repliedMs - sentMs - minuteMs) / 1000),
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
    subject: text.subject,
    participants: [owner.email, address],
    contactId: person.id,
    accountId: contact.account.given.values.id,
    ...created,
    ...Object.assign({}, ...steps.map((one) => one.values)),
  }
  const given = { values, actorId: owner.id, eventId: random.id(sentMs) }
  return { thread: withHistory(random, given, created, steps), mails: [sent, ...answer] }
}

const isOpened = (reaction: Reaction): boolean => ['OPENED', 'CLICKED', 'REPLIED'].includes(reaction)
const isFollowed = (reaction: Reaction): boolean => ['CLICKED', 'REPLIED'].includes(reaction)

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function sentMail(
  { input, random, contact, address, text, reaction, sentMs }: Exchange,
  threadId: string,
  openedMs: number,
  repliedMs: number,
): GeneratedRecord<Email> {
  const { owner } = contact.account
  const common = commonFields(input, random, sentMs, owner.id)
  const greeting = `Dear ${contact.given.values.firstName ?? contact.given.values.lastName ?? 'customer'},`
  const paragraphs = [greeting, ...text.body]
  const event = (atMs: number, name: string, values: Partial<Email>): Step<Email> => ({
    atMs,
    actorId: null,
    values,
    events: [name],
    isEventReplaced: true,
  })
  const at = iso(openedMs)
  const steps = [
    event(sentMs + minuteMs, 'email.sent', { status: 'SENT', sentAt: iso(sentMs + minuteMs) }),
    ...(reaction === 'BOUNCED'
      ? [event(sentMs + hourMs, 'email.bounced', { bounceType: 'SOFT', bounceReason: '452 4.2.2 Mailbox full' })]
      : [
          event(sentMs + 2 * minuteMs, 'email.delivered', {
            status: 'DELIVERED',
            deliveredAt: iso(sentMs + 2 * minuteMs),
          }),
        ]),
    ...(isOpened(reaction)
      ? [event(openedMs, 'email.opened', { status: 'OPENED', firstOpenedAt: at, lastOpenedAt: at, openCount: 1 })]
      : []),
    ...(isFollowed(reaction)
      ? [
          event(openedMs + minuteMs, 'email.clicked', {
            status: 'CLICKED',
            clicks: [{ url: text.link, at: iso(openedMs + minuteMs) }],
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
    subject: text.subject,
    bodyHtml: `${paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`).join('')}<p><a href="${text.link}">${text.link}</a></p>`,
    bodyText: [...paragraphs, text.link].join('\n\n'),
    internetMessageId: `<${common.id}@demo.example>`,
    links: [text.link],
    ...before,
    ...Object.assign({}, ...steps.map((one) => one.values)),
  }
  return withHistory(random, { values, actorId: owner.id, eventId: random.id(sentMs) }, before, steps)
}

function receivedMail(
  { input, random, contact, address, text }: Exchange,
  threadId: string,
  answeredId: string,
  repliedMs: number,
): GeneratedRecord<Email> {
  const { owner } = contact.account
  const common = commonFields(input, random, repliedMs, null)
  const values = {
    ...common,
    ownerId: owner.id,
    threadId,
    direction: 'INBOUND' as const,
    kind: 'MAIL' as const,
    fromEmail: address,
    toEmails: [owner.email],
    subject: `Re: ${text.subject}`,
    bodyText: text.reply,
    internetMessageId: `<${common.id}@customer.example>`,
    inReplyTo: answeredId,
    referenceIds: [answeredId],
    status: 'DELIVERED' as const,
    sentAt: iso(repliedMs),
    deliveredAt: iso(repliedMs),
  }
  return { values, actorId: null, eventId: random.id(repliedMs) }
}
