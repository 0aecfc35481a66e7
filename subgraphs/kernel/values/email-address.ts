import { domainToASCII } from 'node:url'
import isEmailModule from 'validator/lib/isEmail.js'

// The module's types name its default twice.
const isEmail = isEmailModule as unknown as typeof isEmailModule.default

export const emailLengthMax = 254
/** Longer than any valid address, also one whose domain becomes shorter as Punycode. */
const textLengthMax = 1000

/** `name@domain` of RFC 5321 without quotes, comments, address literals and display names. */
const plain = { allow_utf8_local_part: false, allow_ip_domain: false, allow_display_name: false } as const

/** Printable ASCII except the quotation mark. */
const unquoted = /^[!\x23-\x7e]+$/
/** The beginning of an encoded word (RFC 2047), which mail programs may decode to another address. */
const encodedWord = '=?'
/** Excludes every character that a URL parser would decode, cut off or skip. */
const domainText = /^[\p{L}\p{M}\p{N}.-]+$/u

/** Its DNS form is itself: not an IPv4 address in any notation, and without Punycode, which would have to be checked. */
const plainDomain = /^(?:(?!xn--)[a-z0-9-]+\.)+[a-z]+$/

/** The domain in its DNS form: lower case, other scripts as Punycode (UTS 46); empty when it is not a valid name. */
function domainInAscii(domain: string): string {
  if (plainDomain.test(domain)) return domain
  return domainText.test(domain) ? domainToASCII(domain) : ''
}

/**
 * The canonical form of an email address, in which it is stored, compared and used for sending; null when the text is not an
 * address. Spaces around the address are removed. The local part must be ASCII, because letters of other scripts look like ASCII
 * letters and few mail servers accept them.
 */
export function parseEmail(text: string): string | null {
  const given = text.length <= textLengthMax ? text.replaceAll(/^ +| +$/g, '') : ''
  const at = given.lastIndexOf('@')
  const [local, domain] = [given.slice(0, at), domainInAscii(given.slice(at + 1))]
  if (at < 1 || domain === '' || !unquoted.test(local) || local.includes(encodedWord)) return null
  const address = `${local.toLowerCase()}@${domain}`
  return address.length <= emailLengthMax && isEmail(address, plain) ? address : null
}

/** Whether the text is an email address in its canonical form. */
export const isStoredEmail = (text: string): boolean => parseEmail(text) === text

const gmail = new Set(['gmail.com', 'googlemail.com'])

/**
 * The mailbox that receives mail for this address, as the key of rate limits: the tag after a plus sign is removed, and so are
 * the dots that Gmail ignores. Two addresses of the same mailbox are still two accounts.
 */
export function mailboxOf(email: string): string {
  const address = parseEmail(email) ?? email.trim().toLowerCase()
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  const untagged = /^[^+]+/.exec(local)?.[0] ?? local
  return gmail.has(domain) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`
}
