import { accountName } from '../../crm/public.ts'
import { activeOrganizationName } from '../../identity/public.ts'
import { invalid, notFound, type Refusal } from '../../kernel/errors.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import { asSystem, type RequestContext } from '../../kernel/request.ts'
import { linkedQuote } from '../quote/quote-link.ts'
import type { Quote } from '../quote/quote.ts'
import type { PublicQuote } from './public-quote.ts'

export const nameMax = 200
export const reasonMax = 2000

/**
 * Answers with the quote of the token, after `act` as the platform in its organization. 404 for an unknown token, a deleted quote and a
 * suspended organization.
 */
export async function publicQuote(
  ctx: RequestContext,
  token: string,
  act: (ctx: RequestContext, id: string) => Promise<Quote>,
): Promise<PublicQuote> {
  const linked = await linkedQuote(ctx, token)
  const inner = linked && asSystem(ctx, linked.organizationId)
  const organizationName = inner && (await activeOrganizationName(inner))
  if (!linked || !inner || organizationName === null) throw notFound('The quote')
  const found = await act(inner, linked.quoteId)
  return { ...found, organizationName, accountName: found.accountId && (await accountName(inner, found.accountId)) }
}

/** A text that somebody without an account typed: trimmed, with its bounds. */
export function typedText(path: string, given: string, max: number): string {
  const text = given.trim()
  const problem = (code: string, message: string): Refusal => invalid({ path, code, message })
  if (!isStorable(text)) throw problem('NOT_TEXT', `${path} must not contain a NUL character or an unpaired surrogate.`)
  if ([...text].length > max) throw problem('TOO_LONG', `${path} must have at most ${max} characters.`)
  return text
}
