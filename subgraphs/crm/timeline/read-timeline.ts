import { batchOf } from '../../kernel/record/batch.ts'
import { columnOf, type RecordShape } from '../../kernel/record/definition.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'
import { pageSize } from '../../kernel/record/list.ts'
import { computedOver, type TenantPredicate } from '../../kernel/record/predicate.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { isAboutCustomRecord } from '../related-record/related-types.ts'
import { positionOf, type Placed, type Position } from './timeline-cursor.ts'
import { sourcesFor, type ReadableSource, type TimelineLink } from './timeline-sources.ts'
import type { TimelineKind } from './timeline.types.ts'

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
  readonly entries: readonly Placed[]
  readonly hasMore: boolean
}

const noFields: ReadonlySet<string> = new Set()

/** The timeline of a record. Calls of one operation with the same arguments share one statement. */
export function readTimeline(
  ctx: RequestContext,
  link: TimelineLink,
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
  link: TimelineLink,
  ids: readonly string[],
  { kinds, limit, skip, position }: Part,
): Promise<Timeline[]> {
  const sources = sourcesFor(ctx, link, kinds)
  if (sources.length === 0) return ids.map(() => ({ entries: [], hasMore: false }))
  const predicate = computedOver(ctx)
  const distinct = [...new Set(ids)]
  const parents = `unnest(${predicate.values.add(distinct)}::uuid[]) as p(parent_id)`
  const parts = sources.map((source) => {
    const { definition } = source
    const { at, key, parent, columns, from } = expressions(ctx, link, source)
    const where = [
      predicate.live(definition, 't'),
      `${parent} = p.parent_id`,
      ...(link === 'relatedToId' ? [isAboutCustomRecord('t')] : []),
      ...(position ? [isAfter(position, source, [at, ...key], predicate)] : []),
    ]
    const order = [at, ...key].map((name) => `${name} desc`).join(', ')
    return `(select ${columns} from ${from} where ${where.join(' and ')} order by ${order} limit ${skip + limit + 1})`
  })
  const isScan = skip > 0 || sources.some(({ definition }) => !isSeenByAll(predicate, definition))
  const rows = await ctx.db.query<Placed & { parentOf: string }>(
    `select p.parent_id as "parentOf", e.* from ${parents} cross join lateral (
       select * from (${parts.join(' union all ')}) entry
       order by "occurredAt" desc, "entryId" desc, kind collate "C", "entryNumber" desc limit ${limit + 1} offset ${skip}) e`,
    predicate.values.list,
    isScan ? 'SCAN' : 'LIST',
  )
  return timelinesById(rows, ids, limit)
}

/** Whether no entry is passed over because the caller does not see it. */
function isSeenByAll(predicate: TenantPredicate, definition: RecordShape): boolean {
  const { visibleThrough } = definition
  return visibleThrough ? isSeenByAll(predicate, visibleThrough.to()) : predicate.visibility(definition) === 'ALL'
}

/** Entries of one time are in the order of their keys, then of their kinds. So each source continues with a range of its index. */
function isAfter(
  { kind, occurredAt, id, number }: Position,
  source: ReadableSource,
  columns: readonly string[],
  { values }: TenantPredicate,
): string {
  const last = [`${values.add(occurredAt)}::timestamptz`, `${values.add(id)}::uuid`]
  const isSame = source.kind === kind
  const hasNumber = isSame && columns.length > last.length
  const all = hasNumber ? [...last, `${values.add(number)}::integer`] : last
  return `(${columns.slice(0, all.length).join(', ')}) ${source.kind > kind ? '<=' : '<'} (${all.join(', ')})`
}

function timelinesById(
  rows: readonly (Placed & { parentOf: string })[],
  ids: readonly string[],
  limit: number,
): Timeline[] {
  const entries = new Map<string, Placed[]>(ids.map((id) => [id.toLowerCase(), []]))
  for (const row of rows) entries.get(row.parentOf)!.push(row)
  return ids.map((id) => {
    const found = entries.get(id.toLowerCase())!
    return { entries: found.slice(0, limit), hasMore: found.length > limit }
  })
}

/** The columns of an entry. A column that is hidden from the caller is null, and does not decide the time of the entry. */
function expressions(
  ctx: RequestContext,
  link: TimelineLink,
  { kind, definition, at: times, columns, actor, items }: ReadableSource,
) {
  const hidden = fieldRules(ctx.caller, definition)?.hidden
  const sqlOf = (names: readonly string[]): string =>
    firstOf(
      definition,
      names.filter((name) => !hidden?.has(name)),
    )
  const text = (item: string | undefined, name: string | null): string =>
    item ? `i.${item}` : name === null ? 'null::text' : `${sqlOf([name])}::text`
  // The columns of the table of items, so that its index answers.
  const at = items ? `i.${items.at}` : sqlOf(times)
  const key = items ? items.key.map((name) => `i.${name}`) : ['t.id']
  const parent = items ? `i.${items.links[link]!}` : `t.${columnOf(definition, link).column}`
  const selected = [
    `'${kind}' as kind`,
    `t.id as "recordId"`,
    `${at} as "occurredAt"`,
    `${key[0]!} as "entryId"`,
    `${key[1] ?? 0} as "entryNumber"`,
    `${text(undefined, columns.title)} as title`,
    `${text(items?.type, columns.type)} as type`,
    `${text(items?.status, columns.status)} as status`,
    `(${items?.actor ? `i.${items.actor}` : sqlOf(actor)})::uuid as "actorId"`,
  ]
  const source = readSource(definition)
  const from = items
    ? `${items.table} i join ${source} t on t.organization_id = i.organization_id and t.id = i.${items.id}`
    : `${source} t`
  return { at, key, parent, columns: selected.join(', '), from }
}

function firstOf(definition: RecordShape, names: readonly string[]): string {
  const columns = names.map((name) => columnOf(definition, name).sql('t'))
  if (columns.length === 0) return 'null'
  return columns.length === 1 ? columns[0]! : `coalesce(${columns.join(', ')})`
}
