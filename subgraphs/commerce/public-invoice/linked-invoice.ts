import { activeSeller, type Seller } from '../../identity/public.ts'
import { notFound, type Refusal } from '../../kernel/errors.ts'
import { asSystem, type RequestContext } from '../../kernel/request.ts'

export type Context = RequestContext<'outbound' | 'work'>

const form = /^[A-Za-z0-9_-]{43}$/
export const unknownInvoice = (): Refusal => notFound('The invoice')

export interface Found {
  /** The context of the platform in the organization of the invoice. */
  readonly inner: Context
  readonly id: string
}

export interface Linked extends Found {
  readonly seller: Seller
}

/** The issued invoice of a token, of any organization, also of a suspended one; null for an unknown token. */
export async function invoiceOfToken(ctx: Context, token: string): Promise<Found | null> {
  if (!form.test(token)) return null
  const [found] = await ctx.db.query<{ organizationId: string; id: string }>(
    `select i.organization_id as "organizationId", i.id from commerce.invoice i
     where i.public_token = $1 and i.deleted_at is null and i.status <> 'DRAFT'`,
    [token],
  )
  return found ? { inner: asSystem(ctx, found.organizationId), id: found.id } : null
}

/** What the page of a token may show. 404 for an unknown token and a suspended organization. */
export async function linked(ctx: Context, token: string): Promise<Linked> {
  const found = await invoiceOfToken(ctx, token)
  const seller = found && (await activeSeller(found.inner))
  if (!found || !seller) throw unknownInvoice()
  return { ...found, seller }
}
