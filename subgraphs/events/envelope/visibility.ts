import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { isId } from '../../kernel/ids.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { eventSourceIn } from '../../kernel/record/custom-object.ts'
import { columnOf, isRecordShape, parentOf, parentsIn, type RecordShape } from '../../kernel/record/definition.ts'
import type { OrganizationShapes } from '../../kernel/record/shape-source.ts'

type Fields = Readonly<Record<string, unknown>>

/** A user in an organization who receives events. A `Caller` is a recipient. Without `userId`, nobody's private records are received. */
export type Recipient = Pick<Caller, 'organizationId' | 'role' | 'ownerIds' | 'fields' | 'entitlements'> &
  Partial<Pick<Caller, 'userId'>>

/** The parents of records whose visibility follows from them, deleted ones included, by record type and id. */
export type Parents = ReadonlyMap<string, Fields>

export const noParents: Parents = new Map()

const parentKeyOf = ({ object }: RecordShape, id: unknown): string => `${object}:${String(id)}`

const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

function setOf(ids: readonly string[]): ReadonlySet<string> {
  let set = sets.get(ids)
  if (!set) sets.set(ids, (set = new Set(ids)))
  return set
}

/** Whether the recipient may see the record, by the values in the event. This also holds for a record that is deleted by now. */
export function mayReceive(recipient: Recipient, shape: RecordShape, record: Fields, parents: Parents): boolean {
  if (shape.entitlement && !recipient.entitlements.includes(shape.entitlement)) return false
  const { visibleThrough, visibleThroughRelated, masters, visibleBy, privateUnless } = shape
  if (privateUnless && record[privateUnless] !== true && record['ownerId'] !== recipient.userId) return false
  if (visibleThrough || visibleThroughRelated) {
    const parent = parentOf(shape, record)
    if (!parent) return record['ownerId'] === recipient.userId
    // The values of the records above decide nothing for a recipient who sees all owners, and the types above do not follow from them.
    if (recipient.ownerIds === null && !parent.shape.visibleThroughRelated)
      return mayReceive(recipient, parent.shape, {}, parents)
    const values = parents.get(parentKeyOf(parent.shape, parent.id))
    return values !== undefined && mayReceive(recipient, parent.shape, values, parents)
  }
  if (masters) {
    if (recipient.ownerIds === null) return true
    return parentsIn(shape, record).every((parent) => {
      const values = parents.get(parentKeyOf(parent.shape, parent.id))
      return values !== undefined && mayReceive(recipient, parent.shape, values, parents)
    })
  }
  if (recipient.ownerIds === null || visibleBy.length === 0) return true
  const owners = setOf(recipient.ownerIds)
  return visibleBy.some((name) => owners.has(record[name] as string))
}

/** The columns of a parent that decide who sees it. */
const decidingColumns = ({ visibleBy, visibleThrough, masters }: RecordShape): readonly string[] =>
  masters ? masters.map(({ by }) => by) : visibleThrough ? [visibleThrough.by] : visibleBy

const isThroughParents = ({ visibleThrough, visibleThroughRelated, masters }: RecordShape): boolean =>
  [visibleThrough, visibleThroughRelated, masters].some((through) => through !== undefined)

async function load(
  sql: Sql,
  organizationId: string,
  children: readonly (readonly [RecordShape, Fields])[],
): Promise<Map<string, Fields>> {
  const wanted = new Map<RecordShape, Set<string>>()
  for (const [shape, record] of children)
    for (const parent of parentsIn(shape, record)) {
      const ids = wanted.get(parent.shape) ?? new Set()
      if (isId(parent.id)) wanted.set(parent.shape, ids.add(parent.id))
    }
  const found = new Map<string, Fields>()
  for (const [shape, ids] of wanted) {
    const columns = ['id', ...decidingColumns(shape)].map((name) => `${columnOf(shape, name).sql('t')} as "${name}"`)
    const rows = await sql.query(
      `select ${columns.join(', ')} from ${shape.table} t where t.organization_id = $1 and t.id = any($2::uuid[])`,
      [organizationId, [...ids]],
    )
    for (const row of rows) found.set(parentKeyOf(shape, row['id']), row)
    const above = await load(
      sql,
      organizationId,
      rows.map((row) => [shape, row] as const),
    )
    for (const [key, row] of above) found.set(key, row)
  }
  return found
}

/**
 * Reads the parents of these events, for recipients who do not see all records: also the masters of records of custom objects. One statement for each
 * record type that has such events, none without them.
 */
export async function parentsOf(
  sql: Sql,
  organizationId: string,
  events: readonly LoggedEvent[],
  shapes: OrganizationShapes | null,
): Promise<Parents> {
  const children = events.flatMap(({ object, data }) => {
    const source = eventSourceIn({ shapes }, object)
    if (!source || !isRecordShape(source) || !isThroughParents(source)) return []
    const { record, previous } = data as { readonly record: Fields; readonly previous?: Fields | null }
    return [record, previous ?? record].map((values) => [source, values] as const)
  })
  return children.length === 0 ? noParents : load(sql, organizationId, children)
}
