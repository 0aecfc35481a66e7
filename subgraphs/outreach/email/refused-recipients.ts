import type { RefusedRecipient } from '../../kernel/mail/outgoing-mail.ts'
import { contentRefusal, refusedBy } from '../../kernel/mail/smtp-transport.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { bounceTypeOf, isAddressRefused } from './bounce-type.ts'
import type { EmailBounceType } from './email.enumerations.ts'
import { applySignal, type Bounce } from './email-status.ts'

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
