import type { EmailKind } from './email.enumerations.ts'

interface Told {
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly subject: string
  readonly from: string
}

const automaticSubject =
  /^\s*(?:auto(?:matic|mated)?[ :-]*(?:reply|response|antwort)|out of (?:the )?office|abwesenheit|automatische antwort|r[ée]ponse automatique|away from)/i
/** Programs set it so that no program answers them. The other values of the header only ask for no reports. */
const isWithoutAnswer = /\b(?:all|oof|autoreply)\b/i
const bounceSender = /^(?:mailer-daemon|postmaster)@/i

/** Tells replies of people from those of programs (RFC 3834) and from reports of mail servers (RFC 3464). */
export function kindOf({ headers, subject, from }: Told): EmailKind {
  const contentType = headers.get('content-type') ?? ''
  if (/multipart\/report/i.test(contentType) && /delivery-status/i.test(contentType)) return 'BOUNCE'
  if (bounceSender.test(from)) return 'BOUNCE'
  const submitted = (headers.get('auto-submitted') ?? 'no').trim().toLowerCase()
  if (!submitted.startsWith('no')) return 'AUTO_REPLY'
  if (headers.has('x-autoreply') || headers.has('x-autorespond')) return 'AUTO_REPLY'
  if (isWithoutAnswer.test(headers.get('x-auto-response-suppress') ?? '')) return 'AUTO_REPLY'
  if (/^(?:auto_reply|bulk|junk)$/i.test((headers.get('precedence') ?? '').trim())) return 'AUTO_REPLY'
  return automaticSubject.test(subject) ? 'AUTO_REPLY' : 'MAIL'
}
