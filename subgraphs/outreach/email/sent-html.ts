import type { RequestContext } from '../../kernel/request.ts'
import type { CleanMail } from '../../kernel/template/clean-mail.ts'
import { linkPlace } from '../../kernel/template/mail-bounds.ts'
import type { EmailSendInput } from './send-email.inputs.ts'
import { trackedPath } from './tracked-path.ts'
import { trackingToken } from './tracking-token.ts'

type Context = Pick<RequestContext<'keys'>, 'settings' | 'keys' | 'caller'>

export const urlOf = (
  { keys, settings, caller }: Context,
  kind: Parameters<typeof trackingToken>[1],
  messageId: string,
  link: number,
): string => {
  const token = trackingToken(keys, kind, { organizationId: caller.organizationId, messageId, link })
  return `${settings.publicUrl}${trackedPath[kind]}/${token}`
}

/** The HTML as it leaves: links through the platform, and the picture that counts opens. */
export function sentHtmlOf(
  ctx: Context,
  id: string,
  { linkedHtml, links: targets }: CleanMail,
  input: Pick<EmailSendInput, 'trackOpens' | 'trackClicks'>,
): string | null {
  if (linkedHtml === null) return null
  const ownPages = `${ctx.settings.publicUrl}${trackedPath.UNSUBSCRIBE}/`
  let html = linkedHtml
  for (const [index, target] of targets.entries()) {
    const isTracked = input.trackClicks && !target.startsWith(ownPages)
    const url = isTracked ? urlOf(ctx, 'CLICK', id, index) : target.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    html = html.replace(linkPlace(index), () => url)
  }
  return input.trackOpens ? `${html}<img src="${urlOf(ctx, 'OPEN', id, 0)}" width="1" height="1" alt="" />` : html
}
