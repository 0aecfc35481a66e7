/**
 * How a mail bounces with an enhanced status code (RFC 3463). A full mailbox, a congested or slow way, a mail that is too large, and a refusal of
 * the sender or the content can pass; an unknown address cannot.
 */
export const bounceTypeOf = (status: string): 'HARD' | 'SOFT' =>
  status.startsWith('5') && !/^5\.(?:1\.[78]$|2\.[23]$|4\.[567]$|[367]\.)/.test(status) ? 'HARD' : 'SOFT'

/** Enhanced status codes (RFC 3463) of an address that does not exist or takes no mails. */
const ofAddress: ReadonlySet<string> = new Set([
  '5.1.1',
  '5.1.2',
  '5.1.3',
  '5.1.6',
  '5.1.10',
  '5.2.1',
  '5.4.1',
  '5.4.4',
])
/** Servers use these codes also for the sender and the content, so the text decides, as without such a code. */
const unclear: ReadonlySet<string> = new Set(['5.0.0', '5.1.0', '5.5.0'])
/** Reply codes (RFC 5321, RFC 7504) for a recipient. */
const repliesOfAddress: ReadonlySet<string> = new Set(['550', '551', '553', '556'])
const notOfAddress = /relay|sender|authenticat|spam|block|blacklist|reputation|polic|quota|limit/i

/** Whether the server refuses the address, now and in future. It may also refuse the sender or the mail, or all mails of this day. */
export function isAddressRefused(reply: string): boolean {
  const [, code = '', status = null] = /^(5\d\d)(?:[ -](5\.\d{1,3}\.\d{1,3})\b)?/.exec(reply) ?? []
  if (status !== null && !unclear.has(status)) return ofAddress.has(status)
  return repliesOfAddress.has(code) && !notOfAddress.test(reply)
}
