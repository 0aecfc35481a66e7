import { ArgsType, Field, Int } from 'type-graphql'
import { invalid } from '../errors.ts'
import type { Row } from '../database/sql.ts'
import { pageNumber, pageSize, type Page } from './list.ts'
import { isAnySelected, type SelectionInfo } from './selection.ts'
import type { RequestContext } from '../request.ts'

/** The arguments of a list that `newestFirst` reads. */
@ArgsType()
export class NewestFirstArgs {
  @Field(() => Int, { defaultValue: 1, description: 'Number of the page, from 1. Ignored when `cursor` is given.' })
  page!: number

  @Field(() => Int, { defaultValue: 20, description: 'Items per page, 1 to 100.' })
  limit!: number

  @Field(() => String, { nullable: true, description: '`nextCursor` of the previous page; replaces `page`.' })
  cursor!: string | null
}

/** More rows are not counted. */
const countedMax = 10_000

export interface NewestFirst {
  readonly select: string
  /** `schema.table alias` with its conditions; `values` are its parameters. Several are read by their own indexes, and merged. */
  readonly from: string | readonly string[]
  readonly values: readonly unknown[]
  /** A unique column that grows with the rows, and its type. */
  readonly key: { readonly sql: string; readonly type: 'uuid' | 'integer'; readonly of: (row: Row) => unknown }
}

/** A page of rows, the largest key first. `total` is null if there are more than 10,000. */
export async function newestFirst(
  { db }: RequestContext,
  { select, from, values, key }: NewestFirst,
  args: NewestFirstArgs,
  info: SelectionInfo,
): Promise<Page> {
  const limit = pageSize(args.limit, 'limit')
  const page = pageNumber(args.page)
  const after = args.cursor == null ? null : readCursor(args.cursor, key.type)
  const beyond = after === null ? '' : ` and ${key.sql} < $${values.length + 1}::${key.type}`
  const offset = after === null ? (page - 1) * limit : 0
  const part = (source: string, selected: string, most: number) =>
    `select ${selected} from ${source}${beyond} order by ${key.sql} desc limit ${most}`
  const rows = await db.query(
    typeof from === 'string'
      ? `${part(from, select, limit + 1)} offset ${offset}`
      : `select * from (
           ${from.map((source) => `(${part(source, `${select}, ${key.sql} as newest`, offset + limit + 1)})`).join(' union all ')}
         ) merged order by newest desc limit ${limit + 1} offset ${offset}`,
    [...values, ...(after === null ? [] : [after])],
    offset > 1_000 ? 'SCAN' : 'LIST',
  )
  const hasMore = rows.length > limit
  const data = rows.slice(0, limit)
  let total: number | null = null
  if (isAnySelected(info, 'total', 'totalPages')) {
    const [counted] = await db.query<{ count: number }>(
      `select count(*)::int as count from (${[from]
        .flat()
        .map((source) => `(select 1 from ${source} limit ${countedMax + 1})`)
        .join(' union all ')}) counted`,
      values,
      'SCAN',
    )
    total = counted!.count > countedMax ? null : counted!.count
  }
  return {
    data,
    page,
    limit,
    total,
    totalPages: total === null ? null : Math.ceil(total / limit),
    hasMore,
    nextCursor: hasMore ? Buffer.from(String(key.of(data.at(-1)!))).toString('base64url') : null,
  }
}

const forms = { uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, integer: /^\d{1,9}$/ } as const

function readCursor(cursor: string, type: keyof typeof forms): string {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  if (forms[type].test(text) && Buffer.from(text).toString('base64url') === cursor) return text
  throw invalid({ path: 'cursor', code: 'NOT_A_CURSOR', message: 'cursor must be a nextCursor of this list.' })
}
