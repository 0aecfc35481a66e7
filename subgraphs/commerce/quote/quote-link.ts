import { hash, randomBytes } from 'node:crypto'
import type { RequestContext } from '../../kernel/request.ts'
import type { Quote } from './quote.ts'

const form = /^[A-Za-z0-9_-]{43}$/
const hashOf = (token: string): string => hash('sha256', token, 'hex')

/** Creates the secret token of a public page. It belongs to this quote alone; a revision is another quote. Only its hash is stored. */
export async function issueLink(
  ctx: RequestContext,
  { id, organizationId }: Pick<Quote, 'id' | 'organizationId'>,
  recipient: string,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await ctx.db.query(
    `insert into commerce.quote_link (token_hash, organization_id, quote_id, recipient, created_at)
     values ($1, $2, $3, $4, $5)`,
    [hashOf(token), organizationId, id, recipient, ctx.clock.now().toISOString()],
  )
  return token
}

export interface LinkedQuote {
  readonly organizationId: string
  readonly quoteId: string
}

/** The quote of a token, of any organization; null for a token that was never issued. */
export async function linkedQuote(ctx: RequestContext, token: string): Promise<LinkedQuote | null> {
  if (!form.test(token)) return null
  const [found] = await ctx.db.query<LinkedQuote>(
    `select l.organization_id as "organizationId", l.quote_id as "quoteId" from commerce.quote_link l
     where l.token_hash = $1`,
    [hashOf(token)],
  )
  return found ?? null
}
