import type { Provider } from 'oidc-provider'
import type { OAuthPort } from '../../subgraphs/kernel/credentials/public.ts'
import { errorPage } from './page.ts'

/**
 * An error of an authorization request is shown here, if the client registered itself. Sent to the client, as OAuth has it, a link to
 * the authorization server could lead to any address (RFC 9700, section 4.11.2).
 */
export function keepVisitors(provider: Provider, port: Pick<OAuthPort, 'findClient'>): void {
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.oidc?.route !== 'authorization') return
    const location = ctx.response.get('Location') as string | undefined
    if (!location || location.startsWith('/')) return
    const clientId = ctx.oidc.client?.clientId
    if (!clientId || !(await port.findClient(clientId))?.isOpen) return
    ctx.remove('Location')
    ctx.status = 400
    ctx.type = 'html'
    const query = URL.parse(location)?.searchParams
    ctx.body = errorPage(query?.get('error_description') ?? query?.get('error') ?? 'The request is not valid.')
  })
}
