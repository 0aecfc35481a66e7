import { domainToASCII } from 'node:url'
import isEmailModule from 'validator/lib/isEmail.js'

// The module's types name its default twice.
const isEmail = isEmailModule as unknown as typeof isEmailModule.default

export const emailLengthMax = 254
/** Longer than any address, however much of it a browser would write in another way. */
const textLengthMax = 1000

/** `name@domain` of RFC 5321 without quotes, comments, address literals and display names. */
const plain = { allow_utf8_local_part: false, allow_ip_domain: false, allow_display_name: false } as const

/** ASCII that can be seen, but for the quotation mark. */
const unquoted = /^[!\x23-\x7e]+$/
/** Nothing that a URL parser would decode, cut off or skip. */
const domainText = /^[\p{L}\p{M}\p{N}.-]+$/u

/** The domain as DNS knows it: in lower case, other scripts as Punycode (UTS 46); empty when there is no such name. */
const domainInAscii = (domain: string): string => (domainText.test(domain) ? domainToASCII(domain) : '')

/**
 * The one form in which an address is stored, compared and written to, without spaces around it; null for what is no address.
 * The local part takes
 * ASCII only: letters of other scripts look like these, and few servers deliver to them.
 */
export function parseEmail(text: string): string | null {
  const given = text.length <= textLengthMax ? text.replaceAll(/^ +| +$/g, '') : ''
  const at = given.lastIndexOf('@')
  const [local, domain] = [given.slice(0, at), domainInAscii(given.slice(at + 1))]
  if (at < 1 || domain === '' || !unquoted.test(local)) return null
  const address = `${local.toLowerCase()}@${domain}`
  return address.length <= emailLengthMax && isEmail(address, plain) ? address : null
}

/** Whether the text is an address in the form in which it is stored. */
export const isStoredEmail = (text: string): boolean => parseEmail(text) === text

const gmail = new Set(['gmail.com', 'googlemail.com'])

/**
 * Whom a mail reaches, for limits alone: all ways to write one mailbox are one. Without the tag behind a plus sign, and
 * without the dots that Gmail does not read. Two addresses with the same mailbox are still two accounts.
 */
export function mailboxOf(email: string): string {
  const address = parseEmail(email) ?? email.trim().toLowerCase()
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  const untagged = /^[^+]+/.exec(local)?.[0] ?? local
  return gmail.has(domain) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`
}
