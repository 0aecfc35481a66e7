import { baseCurrencyOf } from '../../identity/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { readOnce } from '../../kernel/record/collected-writes.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { readReference } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { product } from '../product/product.record.ts'
import type { Product } from '../product/product.ts'
import type { LineItem } from './line-item.ts'

const copied = ['name', 'sku', 'listPrice', 'unitPrice', 'currency', 'billingFrequency'] as const
const selectedOfProduct: ReadonlySet<string> = new Set(copied)

type ProductValues = Pick<Product, (typeof copied)[number]>

/** A line as it was sent: parts may be absent. */
export type SentLine<L extends LineItem> = { readonly [Part in keyof L]?: L[Part] | null }

export interface CompleteLines<L> {
  readonly lines: L[]
  readonly currency: string
  readonly problems: FieldProblem[]
}

/** The products of the lines, by id; null for a product that the caller does not see. */
async function productsOf(
  ctx: RequestContext,
  lines: readonly { readonly productId?: string | null }[],
): Promise<ReadonlyMap<string, ProductValues | null>> {
  const ids = [...new Set(lines.flatMap(({ productId }) => productId?.toLowerCase() ?? []))]
  const read = (id: string) => readOnce(ctx, `product ${id}`, () => readReference(ctx, product, id, selectedOfProduct))
  const found = await Promise.all(ids.map(read))
  return new Map(ids.map((id, index) => [id, found[index] as ProductValues | null]))
}

/** Reads the products of the lines of many records that are given these values. */
export async function readProducts(
  ctx: RequestContext,
  given: readonly { readonly lineItems?: readonly LineItem[] }[],
): Promise<void> {
  await productsOf(
    ctx,
    given.flatMap(({ lineItems }) => lineItems ?? []),
  )
}

/** A price that the caller's profile hides must not become readable in a line. */
const priceOf = (ctx: RequestContext, { unitPrice, listPrice }: ProductValues) =>
  isHidden(ctx.caller, product, 'unitPrice') ? null : (unitPrice ?? listPrice)

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

/** What is missing in a completed line. */
function missingParts(
  { name, unitPrice }: { name: string | null; unitPrice: ExactNumber | null },
  path: string,
  why: string,
): FieldProblem[] {
  const messageFor = (part: string): string => `${part} is required${why}.`
  return [
    ...(name === null ? [problem(`${path}.name`, 'REQUIRED', messageFor('name'))] : []),
    ...(unitPrice === null ? [problem(`${path}.unitPrice`, 'REQUIRED', messageFor('unitPrice'))] : []),
  ]
}

/**
 * Lines with ids, and with what their products say where the client says nothing. A product that a line already had before may have
 * been deleted since. Without a currency, the document gets that of its first product.
 */
export async function completeLines<L extends LineItem>(
  ctx: RequestContext,
  sent: readonly SentLine<L>[],
  before: readonly LineItem[],
  wantedCurrency: string | null,
): Promise<CompleteLines<L>> {
  const products = await productsOf(ctx, sent)
  const mayCopy = holdsScope(ctx.caller, 'READ_PRODUCTS')
  const first = [...products.values()].find((found) => found !== null)
  const currency = wantedCurrency ?? (mayCopy ? first?.currency : null) ?? (await baseCurrencyOf(ctx))
  const known = new Set(before.map(({ productId }) => productId))
  const usedIds = new Set<string>()
  const problems: FieldProblem[] = []
  const lines = sent.map((line, index): L => {
    const path = `lineItems.${index}`
    const { startDate, endDate } = line
    const productId = line.productId?.toLowerCase() ?? null
    const found = productId === null ? null : (products.get(productId) ?? null)
    // Another check refuses what is not an id.
    if (productId !== null && isId(productId) && !found && !known.has(productId)) {
      const message = 'productId must be the id of an existing product that you can see.'
      problems.push(problem(`${path}.productId`, 'UNKNOWN_REFERENCE', message))
    }
    const source = mayCopy ? found : null
    const priced = source?.currency === currency ? source : null
    const id = line.id?.toLowerCase() ?? newId()
    if (usedIds.has(id)) problems.push(problem(`${path}.id`, 'NOT_UNIQUE', 'id must be unique among the lines.'))
    usedIds.add(id)
    if (startDate && endDate && endDate < startDate)
      problems.push(problem(`${path}.endDate`, 'OUT_OF_RANGE', 'endDate must not be before startDate.'))
    const complete = {
      ...line,
      id,
      name: line.name ?? source?.name ?? null,
      sku: line.sku ?? source?.sku ?? null,
      listPrice: line.listPrice ?? priced?.listPrice ?? null,
      unitPrice: line.unitPrice ?? (priced && priceOf(ctx, priced)),
      billingFrequency: line.billingFrequency ?? source?.billingFrequency ?? 'ONE_TIME',
      sortOrder: index,
    }
    problems.push(...missingParts(complete, path, reasonToSend(productId, source, currency, mayCopy)))
    return complete as unknown as L
  })
  return { lines, currency, problems }
}

/** Why the product does not give the missing values. */
function reasonToSend(
  productId: string | null,
  source: ProductValues | null,
  currency: string,
  mayCopy: boolean,
): string {
  if (productId === null) return ' in a line without a product'
  if (!mayCopy) return ', because the credential lacks READ_PRODUCTS'
  if (source && source.currency !== currency)
    return `, because the product is priced in ${source.currency} and the document in ${currency}`
  return ', because the product does not show it'
}
