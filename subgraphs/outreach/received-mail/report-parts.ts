import { parseEmail } from '../../kernel/values/email-address.ts'
import { bounceOutcomeOf, saidInOneLine, statusCodeIn } from './bounce-outcome.ts'
import { fieldsOf, headOf } from './fields.ts'
import { messageIdsIn } from './message-ids.ts'
import type { Judgement, MailPart, ReportedRecipient } from './judgement.ts'

const readMax = 64 * 1024
const recipientsMax = 100

const partText = ({ content }: MailPart): string => Buffer.from(content.subarray(0, readMax)).toString('utf8')

/** `rfc822; ida@example.com` or `utf-8; ida@example.com` (RFC 6533) without its type. */
const addressIn = (text: string): string | null =>
  parseEmail(
    text
      .slice(text.indexOf(';') + 1)
      .replaceAll(/\\x\{([0-9a-f]{1,6})\}/gi, (_, code: string) =>
        String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(code, 16))),
      )
      .replaceAll(/[<>]/g, '')
      .trim(),
  )

const addressesIn = (...texts: readonly (string | undefined)[]): string[] => [
  ...new Set(texts.map((text) => addressIn(text ?? '')).filter((email) => email !== null)),
]

function outcomeOf(action: string, status: string, said: string): ReportedRecipient['outcome'] | null {
  if (/^(?:delivered|relayed|expanded)\b/i.test(action)) return 'DELIVERED'
  // A mail that is only delayed is still being sent.
  return /^failed\b/i.test(action) ? bounceOutcomeOf(status, said) : null
}

function recipientOf(group: string): ReportedRecipient[] {
  const fields = fieldsOf(group)
  const emails = addressesIn(fields.get('original-recipient'), fields.get('final-recipient'))
  const status = statusCodeIn(fields.get('status') ?? '')
  const said = (fields.get('diagnostic-code') ?? '').replace(/^[\w-]+;\s*/, '')
  const outcome = outcomeOf(fields.get('action') ?? '', status, said)
  return emails.length > 0 && outcome ? [{ emails, outcome, reason: saidInOneLine(said || status) }] : []
}

/** The headers of the mail that a report returns. */
function originalOf(parts: readonly MailPart[]): ReadonlyMap<string, string> {
  const original = parts.find(({ contentType }) =>
    /^(?:message\/(?:rfc822|global|global-headers|rfc822-headers)|text\/rfc822-headers?)$/i.test(contentType),
  )
  return original ? fieldsOf(headOf(partText(original))) : new Map()
}

/** `Ida <ida@example.com>` without the name; nothing if there are several. */
const onlyAddress = (text: string): string | undefined =>
  text.includes(',') ? undefined : (/<([^<>]*)>/.exec(text.slice(0, 1000))?.[1] ?? text)

type Reported = Omit<Judgement, 'kind'> & { readonly kind: 'BOUNCE' | 'COMPLAINT' | 'RECEIPT' | 'AUTO_REPLY' }

function deliveryReport(part: MailPart, original: ReadonlyMap<string, string>): Reported {
  const groups = partText(part).split(/(?:\r?\n){2,}/)
  const recipients = groups.flatMap(recipientOf).slice(0, recipientsMax)
  const isDelivered = recipients.length > 0 && recipients.every(({ outcome }) => outcome === 'DELIVERED')
  const told = fieldsOf(groups[0] ?? '')
  return {
    kind: isDelivered ? 'RECEIPT' : 'BOUNCE',
    messageIds: messageIdsIn(`${original.get('message-id') ?? ''} ${told.get('x-original-message-id') ?? ''}`),
    recipients,
  }
}

/** A complaint of a provider in the Abuse Reporting Format (RFC 5965). Some hide whose it is. */
function feedbackReport(part: MailPart, original: ReadonlyMap<string, string>): Reported {
  const fields = fieldsOf(partText(part))
  const type = (fields.get('feedback-type') ?? '').toLowerCase()
  const messageIds = messageIdsIn(`${original.get('message-id') ?? ''} ${fields.get('original-message-id') ?? ''}`)
  // `not-spam` takes a complaint back, and `auth-failure` is about the sender's DNS.
  if (type === 'not-spam' || type === 'auth-failure') return { kind: 'AUTO_REPLY', messageIds, recipients: [] }
  const emails = addressesIn(
    fields.get('original-rcpt-to'),
    original.get('x-hmxmroriginalrecipient'),
    onlyAddress(original.get('to') ?? ''),
  )
  const outcome = type.startsWith('opt-out') ? 'UNSUBSCRIBED' : 'COMPLAINED'
  return { kind: 'COMPLAINT', messageIds, recipients: [{ emails, outcome, reason: type }] }
}

/** A notice that a mail was shown or deleted (RFC 8098). */
const receiptOf = (part: MailPart): Reported => ({
  kind: 'RECEIPT',
  messageIds: messageIdsIn(fieldsOf(partText(part)).get('original-message-id') ?? ''),
  recipients: [],
})

const readers: readonly (readonly [RegExp, typeof deliveryReport])[] = [
  [/^message\/(?:global-)?delivery-status$/i, deliveryReport],
  [/^message\/feedback-report$/i, feedbackReport],
  [/^message\/(?:global-)?disposition-notification$/i, receiptOf],
]

/** What the parts of a report say; null if none is one. */
export function reportIn(parts: readonly MailPart[]): Reported | null {
  for (const [type, read] of readers) {
    const part = parts.find(({ contentType }) => type.test(contentType))
    if (part) return read(part, originalOf(parts))
  }
  return null
}
