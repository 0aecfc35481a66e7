import { parseEmail } from '../../kernel/values/email-address.ts'
import { bounceOutcomeOf, saidInOneLine, statusCodeIn } from './bounce-outcome.ts'
import { fieldsOf } from './fields.ts'
import { messageIdsIn } from './message-ids.ts'
import type { ReportedRecipient } from './judgement.ts'

const textMax = 64 * 1024
const recipientsMax = 20
const saidMax = 600

/** Where the returned mail begins. */
const copyBegins =
  /^[ \t]*(?:-{2,}[^\n]{0,40}(?:below this line|copy of|original message|unsent message|message header|returned message|message follows)|original message headers?:|(?:return-path|received|message-id|dkim-signature):)/im
const addresses = /[^\s<>()[\]"',;:]{1,64}@[^\s<>()[\]"',;:]{1,253}/g
const isDelay =
  /will (?:be |keep |continue |retry|try)|still being retried|has been delayed|not yet been delivered|do(?: not|n't) need to (?:resend|do anything)|warning message only/i
const isFinal = /permanent|giv(?:en|ing) up|failed permanently|could not be delivered/i

export interface BounceText {
  readonly messageIds: readonly string[]
  readonly recipients: readonly ReportedRecipient[]
}

/**
 * Reads a bounce that is only text, as qmail, Exim and older servers write it: each address is followed by what was said about it. `failed`
 * are the addresses in a header. An address that did not get the mail does no harm, because only its recipients can bounce.
 */
export function readBounceText(given: string, failed: string | undefined): BounceText {
  const text = given.slice(0, textMax)
  const at = copyBegins.exec(text)?.index ?? text.length
  const [notice, copy] = [text.slice(0, at), text.slice(at)]
  const messageIds = messageIdsIn(fieldsOf(copy).get('message-id') ?? '')
  if (isDelay.test(notice) && !isFinal.test(notice)) return { messageIds, recipients: [] }
  const found = placesOf(notice)
  const named = (failed ?? '').split(',').map((each) => parseEmail(each.trim()))
  const emails = [...new Set(failed ? named.filter((email) => email !== null) : found.keys())].slice(0, recipientsMax)
  const recipients = emails.map((email) => {
    const said = notice.slice(found.get(email) ?? 0).slice(0, saidMax)
    return { emails: [email], outcome: bounceOutcomeOf('', said), reason: reasonIn(said) }
  })
  return { messageIds, recipients }
}

/** The end of the first occurrence of each address. */
function placesOf(notice: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const match of notice.matchAll(addresses)) {
    const email = parseEmail(match[0].replace(/\.$/, ''))
    if (email && !places.has(email)) places.set(email, match.index + match[0].length)
    if (places.size >= recipientsMax) break
  }
  return places
}

/** The reply of the server, otherwise the first line after the address. */
function reasonIn(said: string): string {
  const rows = said.split(/\r?\n/).map(saidInOneLine)
  const row = rows.find((each) => /(?:^|[^\d.])[45]\d\d[ -]/.test(each) || statusCodeIn(each) !== '')
  const reply = row && /(?:^|[^\d.])([45]\d\d[ -].*)$/.exec(row)?.[1]
  return reply ?? row ?? rows.find((each) => /[a-z]{3}/i.test(each)) ?? ''
}
