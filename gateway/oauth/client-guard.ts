import { hash, timingSafeEqual } from 'node:crypto'
import type * as Oidc from 'oidc-provider'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { OAuthPort, Visitor } from '../../subgraphs/kernel/credentials/public.ts'

/** The endpoints where a client authenticates with its secret. */
const guarded: ReadonlySet<string> = new Set(['token', 'revocation', 'introspection'])

interface Guard {
  readonly port: Pick<OAuthPort, 'checkClientThrottle' | 'countClientFailure'>
  readonly visitorOf: (ctx: KoaContextWithOIDC) => Visitor
}

interface ClientWithSecret {
  readonly clientId: string
  readonly clientSecret?: string
  compareClientSecret: (given: string) => Promise<boolean>
}

/** Compares client secrets by their hashes, because only hashes are stored. Counts wrong secrets and unknown clients. */
export function guardClients(oidc: typeof Oidc, provider: Provider, { port, visitorOf }: Guard): void {
  const admitted = new WeakSet<object>()
  const guardedContext = (): KoaContextWithOIDC | undefined => {
    const { ctx } = oidc.Provider
    return ctx && guarded.has(ctx.oidc.route) ? ctx : undefined
  }
  const find = provider.Client.find.bind(provider.Client)
  provider.Client.find = async (id) => {
    const ctx = guardedContext()
    if (!ctx || admitted.has(ctx)) return find(id)
    admitted.add(ctx)
    await withOAuthError(oidc, ctx, port.checkClientThrottle(visitorOf(ctx), id))
    const client = await find(id)
    if (!client) await withOAuthError(oidc, ctx, port.countClientFailure(visitorOf(ctx), id))
    return client
  }
  const clients = provider.Client.prototype as unknown as ClientWithSecret
  clients.compareClientSecret = async function (this: ClientWithSecret, given) {
    const [stored, presented] = [Buffer.from(this.clientSecret ?? ''), Buffer.from(hash('sha256', given, 'hex'))]
    const isRight = stored.length === presented.length && timingSafeEqual(stored, presented)
    const ctx = guardedContext()
    if (!isRight && ctx) await withOAuthError(oidc, ctx, port.countClientFailure(visitorOf(ctx), this.clientId))
    return isRight
  }
}

/** Converts a refusal to the OAuth error `temporarily_unavailable`, because OAuth defines no error for rate limits. */
async function withOAuthError(oidc: typeof Oidc, ctx: KoaContextWithOIDC, work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    ctx.set('Retry-After', String(thrown.extensions['retryAfter']))
    const error = new oidc.errors.OIDCProviderError(429, 'temporarily_unavailable')
    error.error_description = thrown.message
    throw error
  }
}
