import { bounceTypeOf, isAddressRefused } from '../email/bounce-type.ts'

/** Servers write these codes (RFC 3463) when they know nothing better, so what they said decides. */
const unclear = /^[245]\.(?:0\.0|1\.0|5\.0)$/
/** An enhanced status code in a text; part of an IP address is none. */
const statusIn = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/
/** The reply of an SMTP server in a text. */
const replyIn = /(?<![\d.])[45]\d\d[ -](?:#?[45]\.\d{1,3}\.\d{1,3}\b)?.*/
const nobodyThere =
  /user unknown|unknown user|no such (?:user|mailbox|recipient|address|account)|(?:user|mailbox|account|address|recipient)[^.\n]{0,60}(?:does(?: not|n't) (?:exist|have)|not found|is disabled|inactive|unavailable|not listed)|no mailbox here|unrouteable address|invalid recipient|host or domain name not found|host unknown|not our customer/i

/** The first enhanced status code in a text; empty if there is none. */
export const statusCodeIn = (text: string): string => statusIn.exec(text)?.[0] ?? ''

/** Whether the address is gone, or the mail was refused for a reason that can pass. */
export function bounceOutcomeOf(status: string, said: string): 'HARD' | 'SOFT' {
  if (status !== '' && !unclear.test(status)) return bounceTypeOf(status)
  const told = statusCodeIn(said)
  if (told !== '' && !unclear.test(told)) return bounceTypeOf(told)
  const reply = replyIn.exec(said)?.[0].replaceAll('#', '') ?? ''
  if (reply.startsWith('4') || status.startsWith('4')) return 'SOFT'
  if (nobodyThere.test(said) || isAddressRefused(reply)) return 'HARD'
  return said === '' && status !== '' ? bounceTypeOf(status) : 'SOFT'
}

/** What a server said, in printable ASCII and one line. */
export const saidInOneLine = (said: string): string =>
  said
    .replaceAll(/[^\x21-\x7e]+/g, ' ')
    .trim()
    .slice(0, 1000)
