import type { RefusedRecipient } from '../../kernel/mail/outgoing-mail.ts'
import { contentRefusal, refusedBy } from '../../kernel/mail/smtp-transport.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { bounceTypeOf } from './bounce-type.ts'
import type { EmailBounceType } from './email.enumerations.ts'
import { applySignal, type Bounce } from './email-status.ts'

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

/** How a mail bounces that a server refused after it had got the content. Without an enhanced status code, the content is the likely cause. */
export function bounceTypeOfContent(reply: string): EmailBounceType {
  const [, status = ''] = /^5\d\d[ -](5\.\d{1,3}\.\d{1,3})\b/.exec(reply) ?? []
  return bounceTypeOf(status) === 'HARD' && isAddressRefused(reply) ? 'HARD' : 'SOFT'
}

/** What a server said, in printable ASCII. */
export const printable = (reply: string, max: number): string => reply.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, max)

/** Why a mail to one recipient was not sent, and whether its address gets no mails in future, either. */
export function bounceOfError(error: Error): { readonly reason: string; readonly isAddressGone: boolean } {
  const content = contentRefusal(error)
  const [refused] = refusedBy(error)
  const reason = printable(content ?? (refused?.reply || error.message), 1000)
  const isAddressGone =
    content === null
      ? refused !== undefined && isAddressRefused(refused.reply)
      : bounceTypeOfContent(content) === 'HARD'
  return { reason, isAddressGone }
}

const bounceOf = ({ address, reply }: RefusedRecipient, at: string): Bounce => ({
  kind: 'BOUNCED',
  at,
  bounceType: isAddressRefused(reply) ? 'HARD' : 'SOFT',
  reason: printable(reply, 1000),
  recipient: address,
})

/** Bounces the mail for the recipients that the server has refused. HARD bounces come last, because the mail shows its last one. */
export function bounceRefused(
  ctx: RequestContext,
  messageId: string,
  refused: readonly RefusedRecipient[],
): Promise<void> {
  const at = ctx.clock.now().toISOString()
  const bounces = refused.map((one) => bounceOf(one, at))
  const [soft, hard] = (['SOFT', 'HARD'] as const).map((type) =>
    bounces.filter(({ bounceType }) => bounceType === type),
  )
  return inTransaction(ctx, async (inner) => {
    for (const bounce of [...soft!, ...hard!]) await applySignal(inner, messageId, bounce)
  })
}
