import { mailsOf, localComposer } from '../kernel/language-model/local-mail.ts'
import { promptVersion } from '../kernel/language-model/write-mails.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { parseEmail } from '../kernel/values/email-address.ts'
import type { SmartEmailDraft } from '../outreach/smart-email/smart-email-draft.ts'
import { SmartEmailTone } from '../outreach/smart-email/smart-email.enumerations.ts'
import { dayMs, hourMs, iso, workTime } from './calendar.ts'
import type { DemoContact } from './contacts.ts'
import { withHistory } from './history.ts'
import { escaped, mailThread, sentMs, type MailThread } from './mail-thread.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

const wishes = [
  { purpose: 'Agree on a call next week', intent: 'meeting', body: null },
  {
    purpose: 'Hear what is missing for a decision',
    intent: 'proposal',
    body: 'The terms of the proposal are unchanged.',
  },
  { purpose: 'Ask whether the plan is still valid', intent: 'reminder', body: null },
  { purpose: 'Say thank you for the visit', intent: 'thanks', body: 'It was good to see the site with my own eyes.' },
] as const
const tones = Object.keys(SmartEmailTone) as SmartEmailTone[]
const draftsMax = 12

interface GeneratedDraft {
  readonly draft: GeneratedRecord<SmartEmailDraft>
  /** The mail of a draft that was sent. */
  readonly mails: MailThread | null
}

/** Drafts to contacts of the organization, as `compose` writes them: some are being written, others scheduled or sent, and one has failed. */
export function demoSmartEmailDrafts(input: GeneratorInput, contacts: readonly DemoContact[]): GeneratedDraft[] {
  const random = new Random(`smart email drafts ${input.profile.code}`)
  const reachable = contacts.filter(({ given }) => given.values.email && !given.values.emailOptOut)
  return reachable.slice(0, draftsMax).map((contact, index) => draftTo(input, random, contact, index))
}

function draftTo(input: GeneratorInput, random: Random, contact: DemoContact, index: number): GeneratedDraft {
  const { given, account } = contact
  const { values } = given
  const { owner } = account
  const wish = wishes[index % wishes.length]!
  const tone = tones[index % tones.length]!
  const { purpose, intent, body } = wish
  const accountName = account.given.values.name ?? null
  const request = { recipientName: null, companyName: null, subject: null, body, conversationSummary: null }
  const [mail] = mailsOf({
    tones: [tone],
    senderName: owner.name,
    recipientName: values.firstName ?? values.lastName ?? null,
    companyName: accountName,
    purpose,
    intent,
    style: null,
    notes: body,
    subject: null,
    dealName: null,
    facts: [],
    conversationSummary: null,
    conversation: [],
    conversationSubject: null,
    attempt: 0,
  })
  const createdMs = workTime(random, input.midnightMs - random.whole(1, 6) * dayMs) + index * 1000
  const isScheduled = index % 4 === 3
  const scheduledAt = iso(workTime(random, input.midnightMs + random.whole(20, 40) * dayMs) + hourMs)
  const hasFailed = index === 5
  const bodyHtml = mail!.paragraphs.map((text) => `<p>${escaped(text).replaceAll('\n', '<br />')}</p>`).join('')
  const text = { subject: mail!.subject, bodyHtml, bodyText: mail!.paragraphs.join('\n\n') }
  const draft: GeneratedRecord<SmartEmailDraft> = {
    values: {
      ...commonFields(input, random, createdMs, owner.id),
      ownerId: owner.id,
      status: hasFailed ? 'FAILED' : isScheduled ? 'SCHEDULED' : 'DRAFT',
      failureReason: hasFailed ? 'toEmails.0 must not get mails (UNSUBSCRIBED).' : null,
      ...text,
      toEmails: [values.email!],
      contactId: values.id,
      tone,
      purpose,
      intent,
      isShared: index % 3 === 0,
      request,
      generation: {
        model: localComposer,
        promptVersion,
        generatedAt: iso(createdMs),
        groundedOn: [
          { entityType: 'CONTACT', entityId: values.id },
          { entityType: 'ACCOUNT', entityId: account.given.values.id },
        ],
      },
      ...(isScheduled && { scheduledAt, nextAttemptAt: scheduledAt, timezone: 'UTC' }),
    },
    actorId: owner.id,
    eventId: random.id(createdMs),
  }
  if (index % 4 !== 0) return { draft, mails: null }
  const queuedMs = createdMs + hourMs
  const mails = mailThread({
    input,
    random,
    owner,
    contact,
    address: parseEmail(values.email!)!,
    mails: [{ text: { ...text, link: null }, queuedMs }],
    reaction: (['REPLIED', 'OPENED', 'NONE'] as const)[(index / 4) % 3]!,
    openedMs: queuedMs + hourMs,
    repliedMs: queuedMs + 2 * hourMs,
    reply: 'Thank you, that suits us.',
  })
  return { draft: sentDraft(random, draft, mails, queuedMs), mails }
}

/** The draft after its mail was queued and sent. */
function sentDraft(
  random: Random,
  { values, actorId, eventId }: GeneratedRecord<SmartEmailDraft>,
  { thread, sent }: MailThread,
  queuedMs: number,
): GeneratedRecord<SmartEmailDraft> {
  const queued = { status: 'SENDING' as const, messageId: sent[0]!.values.id, threadId: thread.values.id }
  const done = { status: 'SENT' as const, sentAt: iso(sentMs(queuedMs)) }
  const created = { status: 'DRAFT' as const, messageId: null, threadId: null, sentAt: null }
  return withHistory<SmartEmailDraft>(
    random,
    { values: { ...values, ...queued, ...done }, actorId, eventId },
    created,
    [
      { atMs: queuedMs, actorId, values: queued },
      {
        atMs: sentMs(queuedMs) + 1000,
        actorId: null,
        values: done,
        events: ['smart_email_draft.sent'],
        isEventReplaced: true,
      },
    ],
  )
}
