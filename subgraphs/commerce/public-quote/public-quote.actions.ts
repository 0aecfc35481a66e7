import { addresseeOf } from '../../crm/public.ts'
import { activeSeller } from '../../identity/public.ts'
import { invalid, notFound, type Refusal } from '../../kernel/errors.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import { asSystem, type RequestContext } from '../../kernel/request.ts'
import { dateIn, organizationZone } from '../../kernel/time/days.ts'
import { linkedQuote } from '../quote/quote-link.ts'
import type { Quote } from '../quote/quote.ts'
import { publicSeller } from '../document/public-document.ts'
import { documentFile, type DocumentFile } from '../document/document-file.ts'
import { viewQuote } from '../quote/answer-quote.ts'
import { documentOfQuote } from '../quote/quote.document.ts'
import type { PublicQuote } from './public-quote.ts'

/**
 * The quote of the token after `act` as the platform in its organization. 404 for an unknown token, a deleted quote and a suspended
 * organization.
 */
async function linked<C extends RequestContext>(ctx: C, token: string, act: Act) {
  const link = await linkedQuote(ctx, token)
  const inner = link && asSystem(ctx, link.organizationId)
  const seller = inner && (await activeSeller(inner))
  if (!link || !inner || !seller) throw notFound('The quote')
  return { inner, seller, quote: await act(inner, link.quoteId) }
}

type Act = (ctx: RequestContext, id: string) => Promise<Quote>

/** The last day of a quote that is valid to the end of it, to the minute; null if it is valid until another time. */
function lastDayOf(zone: string, validUntil: string): string | null {
  const day = dateIn(zone, new Date(validUntil))
  return dateIn(zone, new Date(Date.parse(validUntil) + 60_000)) === day ? null : day
}

/** The quote of the token as its page shows it. */
export async function publicQuote(ctx: RequestContext, token: string, act: Act): Promise<PublicQuote> {
  const { inner, seller, quote } = await linked(ctx, token, act)
  const { accountName, contactName } = await addresseeOf(inner, quote)
  const lastDay = quote.validUntil && lastDayOf(await organizationZone(inner), quote.validUntil)
  return { ...quote, seller: publicSeller(seller), customerName: accountName ?? contactName, lastDay }
}

/** The PDF of the quote of the token. */
export async function publicQuoteDocument(ctx: RequestContext<'work'>, token: string): Promise<DocumentFile> {
  const { inner, quote } = await linked(ctx, token, viewQuote)
  return documentFile(inner, await documentOfQuote(inner, quote), quote, 'OUTSIDE')
}

/** A text that somebody without an account typed: trimmed, with its bounds. */
export function typedText(path: string, given: string, max: number): string {
  const text = given.trim()
  const problem = (code: string, message: string): Refusal => invalid({ path, code, message })
  if (!isStorable(text)) throw problem('NOT_TEXT', `${path} must not contain a NUL character or an unpaired surrogate.`)
  if ([...text].length > max) throw problem('TOO_LONG', `${path} must have at most ${max} characters.`)
  return text
}
