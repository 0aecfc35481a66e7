import { readTimeline, timelineCursor } from '../../crm/public.ts'
import { invalid } from '../../kernel/errors.ts'
import { readBlocks, readGraph, type GraphReading } from '../../kernel/graph-port/read-blocks.ts'
import type { Customer360TimelinePage } from './customer-360.types.ts'
import type { Customer360Contract, Customer360Document } from './parts.types.ts'
import { contactIdsQuery, contractsQuery, dealIdsQuery, ordersQuery, quotesQuery } from './queries.ts'

/** How many entries a page by its number may lie behind the first one; a cursor has no such bound. */
const entriesMax = 10_000

interface IdPage {
  readonly data: readonly { readonly id: string }[]
  readonly total: number
  readonly page: number
  readonly limit: number
  readonly totalPages: number
  readonly hasMore: boolean
}

interface Paging {
  readonly page: number
  readonly limit: number
}

/** The contacts of the account; the records themselves are read by their own subgraph. */
export async function readContacts(ctx: GraphReading, id: string, paging: Paging) {
  const { list } = await readGraph<{ list: IdPage }>(ctx, contactIdsQuery, { id, ...paging })
  return { ...list, data: list.data.map((contact) => ({ contact })) }
}

export async function readDeals(ctx: GraphReading, id: string, paging: Paging) {
  const { list } = await readGraph<{ list: IdPage }>(ctx, dealIdsQuery, { id, ...paging })
  return { ...list, data: list.data.map((deal) => ({ deal })) }
}

interface Documents extends Readonly<Record<string, unknown>> {
  readonly QUOTES: readonly Customer360Document[]
  readonly CONTRACTS: readonly Customer360Contract[]
  readonly ORDERS: readonly Customer360Document[]
}

export async function readDocuments(ctx: GraphReading, id: string) {
  const reader =
    <T>(query: string) =>
    async () =>
      (await readGraph<{ list: { data: readonly T[] } }>(ctx, query, { id })).list.data
  const { values, warnings } = await readBlocks<Documents>(ctx, {
    QUOTES: reader<Customer360Document>(quotesQuery),
    CONTRACTS: reader<Customer360Contract>(contractsQuery),
    ORDERS: reader<Customer360Document>(ordersQuery),
  })
  return { quotes: values.QUOTES, contracts: values.CONTRACTS, orders: values.ORDERS, warnings }
}

export interface TimelinePaging {
  readonly type: readonly string[] | null
  readonly page: number
  readonly pageSize: number
  readonly cursor: string | null
}

export async function readTimelinePage(
  ctx: GraphReading,
  id: string,
  { type, page, pageSize, cursor }: TimelinePaging,
): Promise<Customer360TimelinePage> {
  if (cursor === null && page * pageSize > entriesMax)
    throw invalid({
      path: 'page',
      code: 'OUT_OF_RANGE',
      message: `page times pageSize must be at most ${entriesMax}; \`cursor\` has no such bound.`,
    })
  const { entries, hasMore } = await readTimeline(ctx, 'accountId', id, {
    kinds: type as never,
    limit: pageSize,
    skip: cursor === null ? (page - 1) * pageSize : 0,
    cursor,
    names: { limit: 'pageSize', cursor: 'cursor' },
  })
  const last = entries.at(-1)
  return {
    data: [...entries],
    page,
    limit: pageSize,
    hasMore,
    nextCursor: hasMore && last ? timelineCursor(last) : null,
  }
}
