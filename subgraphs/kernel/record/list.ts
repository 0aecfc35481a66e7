import { invalid } from '../errors.ts'
import type { RequestContext } from '../request.ts'
import type { Row } from '../database/sql.ts'
import type { RecordShape } from './definition.ts'
import { fieldRules } from './field-security.ts'
import { ListQuery, type ListArgs } from './list-query.ts'
import type { Order } from './order.ts'
import { TenantPredicate } from './predicate.ts'
import { readSource } from './read-source.ts'
import { selectList } from './selection.ts'
import { shapeFor } from './shape-source.ts'

/** The most records of one page. */
export const pageRecordsMax = 100
const pageMax = 100_000
/** With a larger offset a statement is a `SCAN`. */
const listOffsetMax = 1_000

export interface PageArgs extends ListArgs {
  readonly page?: number | null
  readonly limit?: number | null
  readonly cursor?: string | null
}

export interface DeletedArgs extends Pick<PageArgs, 'page' | 'limit'> {
  /** Only records that were deleted after this time. */
  readonly deletedAfter?: string | null
}

export interface ConnectionArgs extends ListArgs {
  readonly first?: number | null
  readonly after?: string | null
}

export function pageSize(value: number | null | undefined, name: string): number {
  const requested = value ?? 20
  if (requested < 1 || requested > pageRecordsMax)
    throw invalid({ path: name, code: 'OUT_OF_RANGE', message: `${name} must be between 1 and ${pageRecordsMax}.` })
  return requested
}

export function pageNumber(requested: number | null | undefined): number {
  const page = requested ?? 1
  if (page < 1 || page > pageMax)
    throw invalid({
      path: 'page',
      code: 'OUT_OF_RANGE',
      message: `page must be between 1 and ${pageMax}; use cursor to read further pages.`,
    })
  return page
}

export interface Page {
  data: Row[]
  page: number
  limit: number
  total: number | null
  totalPages: number | null
  hasMore: boolean
  nextCursor: string | null
}

interface PageRows {
  /** The rows of the page, and one more row when there is a next page. */
  readonly data: Row[]
  readonly page: number
  readonly limit: number
  readonly total: number | null
}

/** Builds a page from its rows. `order` creates the cursor; it is null when `nextCursor` is not selected. */
export function toPage({ data, page, limit, total }: PageRows, order: Order | null): Page {
  const hasMore = data.length > limit
  if (hasMore) data.length = limit
  const last = data.at(-1)
  return {
    data,
    page,
    limit,
    total,
    totalPages: total === null ? null : Math.ceil(total / limit),
    hasMore,
    nextCursor: hasMore && last && order ? order.cursorOf(last) : null,
  }
}

/** A page of the records that the caller can see, without deleted ones. Rows are counted only when `total` is selected and not maintained. */
export async function readPage(
  ctx: RequestContext,
  definition: RecordShape,
  args: PageArgs,
  selected: { readonly page: ReadonlySet<string>; readonly record: ReadonlySet<string>; readonly total: boolean },
): Promise<Page> {
  const limit = pageSize(args.limit, 'limit')
  const page = pageNumber(args.page)
  const query = new ListQuery(ctx, definition, args)
  const { cursor = null } = args
  const range = { limit: limit + 1, offset: cursor ? 0 : (page - 1) * limit, cursor }
  const [data, total] = await query.read(selected.record, range, selected.total)
  return toPage({ data, page, limit, total }, selected.page.has('nextCursor') ? query.order : null)
}

/** Deleted records that the caller can see, most recently deleted first. */
export async function readDeleted(
  ctx: RequestContext,
  builtIn: RecordShape,
  args: DeletedArgs,
  selected: ReadonlySet<string>,
): Promise<Row[]> {
  const definition = shapeFor(ctx, builtIn)
  const predicate = new TenantPredicate(ctx.caller)
  const limit = pageSize(args.limit ?? pageRecordsMax, 'limit')
  const page = args.page ?? 1
  if (page < 1 || page > pageMax)
    throw invalid({ path: 'page', code: 'OUT_OF_RANGE', message: `page must be between 1 and ${pageMax}.` })
  const after = args.deletedAfter ? ` and t.deleted_at > ${predicate.values.add(args.deletedAfter)}` : ''
  const rows = await ctx.db.query(
    `select ${selectList(definition, selected, 't', fieldRules(ctx.caller, definition))} from ${readSource(definition)} t where ${predicate.visible(definition, 't')} and t.deleted_at is not null${after} order by t.deleted_at desc, t.id desc limit ${predicate.values.add(limit)} offset ${predicate.values.add((page - 1) * limit)}`,
    predicate.values.list,
    (page - 1) * limit > listOffsetMax ? 'SCAN' : 'LIST',
  )
  ctx.answered?.records(definition, rows)
  return rows
}
