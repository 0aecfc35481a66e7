import type { Provider } from 'oidc-provider'
import { metadataOf } from './adapter.ts'
import type { OAuthPort } from '../../subgraphs/kernel/credentials/public.ts'

/** Members of a registration response that are not part of the stored client. */
const responseOnly = ['client_id_issued_at', 'client_secret', 'client_secret_expires_at', 'client_uri'] as const

type Answer = Readonly<Record<string, unknown>>

/** Answers a registration with the client as stored, which may differ from the request (RFC 7591, section 3.2.1). */
export function answerWithStoredClient(provider: Provider, port: Pick<OAuthPort, 'findClient'>): void {
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.oidc?.route !== 'registration' || ctx.status !== 201) return
    const answer = ctx.body as Answer
    const client = await port.findClient(String(answer['client_id']))
    if (!client) return
    const { client_secret: _, ...stored } = metadataOf(client)
    const added = responseOnly.filter((name) => name in answer).map((name) => [name, answer[name]] as const)
    ctx.body = { ...stored, ...Object.fromEntries(added) }
  })
}
