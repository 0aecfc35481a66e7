import type { Attachment } from 'mailparser'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { bounceTypeOf } from '../email/bounce-type.ts'
import { messageIdsIn } from './message-ids.ts'

export interface ReportedDelivery {
  readonly recipient: string
  readonly outcome: 'DELIVERED' | 'HARD' | 'SOFT'
  readonly reason: string
}

/** What a mail server reports about a mail (RFC 3464). */
export interface DeliveryReport {
  readonly messageId: string | null
  readonly deliveries: readonly ReportedDelivery[]
}

const readMax = 64 * 1024
const recipientsMax = 100

const textOf = ({ content }: Attachment): string => content.subarray(0, readMax).toString('latin1')

/** The fields of one group, by name in lower case; continued lines are joined. */
const fieldsOf = (group: string): ReadonlyMap<string, string> =>
  new Map(
    group
      .replaceAll(/\r?\n[ \t]+/g, ' ')
      .split(/\r?\n/)
      .flatMap((line) => {
        const at = line.indexOf(':')
        return at < 1 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()] as const]
      }),
  )

/** `rfc822; ida@example.com` without its type. */
const addressIn = (text: string): string | null => parseEmail(text.slice(text.indexOf(';') + 1).replaceAll(/[<>]/g, ''))

function outcomeOf(action: string, status: string): ReportedDelivery['outcome'] | null {
  if (/^(?:delivered|relayed|expanded)$/i.test(action)) return 'DELIVERED'
  if (!/^failed$/i.test(action)) return null
  return bounceTypeOf(status)
}

function deliveryOf(group: string): ReportedDelivery[] {
  const fields = fieldsOf(group)
  const recipient = addressIn(fields.get('original-recipient') ?? '') ?? addressIn(fields.get('final-recipient') ?? '')
  const status = /\d\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? ''
  const outcome = outcomeOf(fields.get('action') ?? '', status)
  if (!recipient || !outcome) return []
  const said = (fields.get('diagnostic-code') ?? '').replace(/^[\w-]+;\s*/, '')
  const reason = (said || status).replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 1000)
  return [{ recipient, outcome, reason }]
}

/** The report among the parts of a mail; null if there is none. */
export function deliveryReportOf(parts: readonly Attachment[]): DeliveryReport | null {
  const status = parts.find(({ contentType }) => contentType === 'message/delivery-status')
  if (!status) return null
  const groups = textOf(status).split(/(?:\r?\n){2,}/)
  const original = parts.find(({ contentType }) => /^(?:message\/rfc822|text\/rfc822-headers)$/.test(contentType))
  const header = original ? /^message-id:[^\n]*(?:\n[ \t][^\n]*)?/im.exec(textOf(original))?.[0] : undefined
  return {
    messageId: header ? (messageIdsIn(header)[0] ?? null) : null,
    deliveries: groups.flatMap(deliveryOf).slice(0, recipientsMax),
  }
}
