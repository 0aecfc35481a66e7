import { invalid } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { batchOf } from '../../kernel/record/batch.ts'
import { columnOf, type RecordShape } from '../../kernel/record/definition.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'
import { pageSize } from '../../kernel/record/list.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import { normalizeTimestamp } from '../../kernel/record/scalars.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Link } from '../related-record/related-types.ts'
import { sourcesFor, type ReadableSource } from './timeline-sources.ts'
import type { TimelineEntry, TimelineKind } from './timeline.types.ts'

export interface TimelineRequest {
  readonly kinds?: readonly TimelineKind[] | null
  readonly limit: number
  /** How many of the newest entries are left out; the caller bounds it. */
  readonly skip?: number
  readonly cursor: string | null
  /** The names of these two arguments, for refusals. */
  readonly names: { readonly limit: string; readonly cursor: string }
}

/** The entries of one part of a timeline, and whether older ones follow. */
export interface Timeline {
  readonly entries: readonly TimelineEntry[]
  readonly hasMore: boolean
}

const noFields: ReadonlySet<string> = new Set()

/** The timeline of a record. Calls of one operation with the same arguments share one statement. */
export function readTimeline(
  ctx: RequestContext,
  link: Link,
  id: string,
  { kinds, limit: requested, skip = 0, cursor, names }: TimelineRequest,
): Promise<Timeline> {
  const limit = pageSize(requested, names.limit)
  const position = cursor === null ? null : positionOf(cursor, names.cursor)
  const key = JSON.stringify([link, kinds ?? null, limit, skip, cursor])
  return batchOf(ctx, noFields, `timeline${key}`, (ids) =>
    timelinesOf(ctx, link, ids, { kinds, limit, skip, position }),
  ).load(id)
}

interface Part {
  readonly kinds: readonly TimelineKind[] | null | undefined
  readonly limit: number
  readonly skip: number
  readonly position: Position | null
}

/** Each source gives its newest entries by its index; of these, the newest are the page. So no other entry is read. */
async function timelinesOf(
  ctx: RequestContext,
  link: Link,
  ids: readonly string[],
  { kinds, limit, skip, position }: Part,
): Promise<Timeline[]> {
  const sources = sourcesFor(ctx, link, kinds)
  if (sources.length === 0) return ids.map(() => ({ entries: [], hasMore: false }))
  const predicate = new TenantPredicate(ctx.caller)
  const distinct = [...new Set(ids)]
  const parents = `unnest(${predicate.values.add(distinct)}::uuid[]) as p(parent_id)`
  const after = position && [predicate.values.add(position.occurredAt), predicate.values.add(position.recordId)]
  const parts = sources.map((source) => {
    const { definition } = source
    const { at, id, parent, columns, from } = expressions(ctx, source)
    const where = [
      predicate.live(definition, 't'),
      `${parent} = p.parent_id`,
      ...(after ? [`(${at}, ${id}) < (${after[0]}::timestamptz, ${after[1]}::uuid)`] : []),
    ]
    return `(select ${columns} from ${from} where ${where.join(' and ')} order by ${at} desc, ${id} desc limit ${skip + limit + 1})`
  })
  const isScan = skip > 0 || sources.some(({ definition }) => predicate.visibility(definition) !== 'ALL')
  const rows = await ctx.db.query<TimelineEntry & { parentOf: string }>(
    `select p.parent_id as "parentOf", e.* from ${parents} cross join lateral (
       select * from (${parts.join(' union all ')}) entry order by "occurredAt" desc, "recordId" desc limit ${limit + 1} offset ${skip}) e`,
    predicate.values.list,
    isScan ? 'SCAN' : 'LIST',
  )
  for (const { definition } of sources) ctx.answered?.aggregate(definition)
  return timelinesById(rows, ids, limit)
}

function timelinesById(
  rows: readonly (TimelineEntry & { parentOf: string })[],
  ids: readonly string[],
  limit: number,
): Timeline[] {
  const entries = new Map<string, TimelineEntry[]>(ids.map((id) => [id.toLowerCase(), []]))
  for (const row of rows) entries.get(row.parentOf)!.push(row)
  return ids.map((id) => {
    const found = entries.get(id.toLowerCase())!
    return { entries: found.slice(0, limit), hasMore: found.length > limit }
  })
}

/** The columns of an entry. A column that is hidden from the caller is null, and does not decide the time of the entry. */
function expressions(
  ctx: RequestContext,
  { kind, definition, parent: parentName, at: times, columns, actor, items }: ReadableSource,
) {
  const hidden = fieldRules(ctx.caller, definition)?.hidden
  const sqlOf = (names: readonly string[]): string =>
    firstOf(
      definition,
      names.filter((name) => !hidden?.has(name)),
    )
  const text = (name: string | null): string => (name === null ? 'null::text' : `${sqlOf([name])}::text`)
  const at = items ? `i.${items.at}` : sqlOf(times)
  // The columns of the table of items, so that its index answers.
  const id = items ? `i.${items.id}` : 't.id'
  const { column } = columnOf(definition, parentName)
  const parent = !items ? `t.${column}` : parentName === 'id' ? id : `i.${column}`
  const selected = [
    `'${kind}' as kind`,
    `t.id as "recordId"`,
    `${at} as "occurredAt"`,
    `${text(columns.title)} as title`,
    `${text(columns.type)} as type`,
    `${items ? `i.${items.status}` : text(columns.status)} as status`,
    `(${items ? `i.${items.actor}` : sqlOf(actor)})::uuid as "actorId"`,
  ]
  const source = readSource(definition)
  const from = items
    ? `${items.table} i join ${source} t on t.organization_id = i.organization_id and t.id = i.${items.id}`
    : `${source} t`
  return { at, id, parent, columns: selected.join(', '), from }
}

function firstOf(definition: RecordShape, names: readonly string[]): string {
  const columns = names.map((name) => columnOf(definition, name).sql('t'))
  if (columns.length === 0) return 'null'
  return columns.length === 1 ? columns[0]! : `coalesce(${columns.join(', ')})`
}

type Position = Pick<TimelineEntry, 'occurredAt' | 'recordId'>

export const cursorOf = ({ occurredAt, recordId }: Position): string =>
  Buffer.from(JSON.stringify(['timeline', occurredAt, recordId])).toString('base64url')

function positionOf(cursor: string, path: string): Position {
  const refused = invalid({ path, code: 'NOT_A_CURSOR', message: 'The cursor must be a value that this API returned.' })
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw refused
  }
  if (!Array.isArray(parsed) || parsed.length !== 3) throw refused
  const [name, occurredAt, recordId] = parsed as unknown[]
  const isTime = typeof occurredAt === 'string' && normalizeTimestamp(occurredAt) === occurredAt
  if (name !== 'timeline' || !isTime || !isId(recordId)) throw refused
  return { occurredAt, recordId }
}
