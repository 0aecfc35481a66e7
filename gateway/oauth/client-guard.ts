import { hash, timingSafeEqual } from 'node:crypto'
import type * as Oidc from 'oidc-provider'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { OAuthPort, Visitor } from '../../subgraphs/kernel/oauth-port.ts'

/** Where a client proves itself with its secret. */
const guarded: ReadonlySet<string> = new Set(['token', 'revocation', 'introspection'])

interface Guard {
  readonly port: Pick<OAuthPort, 'admitClient' | 'clientFailed'>
  readonly visitorOf: (ctx: KoaContextWithOIDC) => Visitor
}

interface Secretive {
  readonly clientId: string
  readonly clientSecret?: string
  compareClientSecret: (given: string) => Promise<boolean>
}

/** Compares secrets by their hashes, which is what is stored, and counts wrong ones and clients that do not exist. */
export function guardClients(oidc: typeof Oidc, provider: Provider, { port, visitorOf }: Guard): void {
  const judged = new WeakSet<object>()
  const here = (): KoaContextWithOIDC | undefined => {
    const { ctx } = oidc.Provider
    return ctx && guarded.has(ctx.oidc.route) ? ctx : undefined
  }
  const find = provider.Client.find.bind(provider.Client)
  provider.Client.find = async (id) => {
    const ctx = here()
    if (!ctx || judged.has(ctx)) return find(id)
    judged.add(ctx)
    await orRefused(oidc, ctx, port.admitClient(visitorOf(ctx), id))
    const client = await find(id)
    if (!client) await orRefused(oidc, ctx, port.clientFailed(visitorOf(ctx), id))
    return client
  }
  const clients = provider.Client.prototype as unknown as Secretive
  clients.compareClientSecret = async function (this: Secretive, given) {
    const [stored, presented] = [Buffer.from(this.clientSecret ?? ''), Buffer.from(hash('sha256', given, 'hex'))]
    const isRight = stored.length === presented.length && timingSafeEqual(stored, presented)
    const ctx = here()
    if (!isRight && ctx) await orRefused(oidc, ctx, port.clientFailed(visitorOf(ctx), this.clientId))
    return isRight
  }
}

/** A refusal in the words of OAuth, which has none of its own for this. */
async function orRefused(oidc: typeof Oidc, ctx: KoaContextWithOIDC, work: Promise<void>): Promise<void> {
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
