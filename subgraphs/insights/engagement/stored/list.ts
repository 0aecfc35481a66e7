import { invalid } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import { fieldNotReadable } from '../../../kernel/record/field-security.ts'
import { computedOver } from '../../../kernel/record/predicate.ts'
import { readSource } from '../../../kernel/record/read-source.ts'
import { recordType } from '../../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { EngagementObject, EngagementOrder } from './list.types.ts'
import { hiddenFacts } from './stored-engagement.ts'
import type { ScoredObject } from './scored-objects.ts'

export interface EngagementListArgs {
  readonly object: EngagementObject
  readonly orderBy: EngagementOrder
  readonly limit: number
  readonly cursor: string | null
}

interface Row {
  readonly id: string
  readonly sum: number
  readonly [column: string]: unknown
}

const objectOf = (object: EngagementObject): ScoredObject => object.toLowerCase() as ScoredObject

/** The column of each order, and whether its highest values come first. */
const orders = {
  HIGHEST: ['total', true],
  LOWEST: ['total', false],
  RISING: ['velocity', true],
  FALLING: ['velocity', false],
} as const satisfies Readonly<Record<EngagementOrder, readonly [string, boolean]>>

/** The records with engagement that the caller sees, by the stored sums: a range of their index. Who must not know what they are made of must not know their order. */
export async function engagementList(ctx: RequestContext, { object, orderBy, limit, cursor }: EngagementListArgs) {
  const name = objectOf(object)
  const hidden = hiddenFacts(ctx, name)
  if (hidden.length > 0) throw fieldNotReadable(hidden.map((field) => `activity.${field}`))
  const last = cursor === null ? null : positionOf(cursor, object, orderBy)
  const definition = recordType(name)()
  const predicate = computedOver(ctx)
  const { values } = predicate
  const [column, isHighest] = orders[orderBy]
  const after = last && `${values.add(last.sum)}::float8, ${values.add(last.id)}::uuid`
  const where = [
    `e.organization_id = ${predicate.organization()} and e.object = '${name}' and e.total > 0`,
    predicate.live(definition, 't'),
    ...(after ? [`(e.${column}, e.record_id) ${isHighest ? '<' : '>'} (${after})`] : []),
  ]
  const direction = isHighest ? 'desc' : 'asc'
  const rows = await ctx.db.query<Row>(
    `select e.record_id as id, e.${column} as sum from insights.engagement e
     join ${readSource(definition)} t on t.organization_id = e.organization_id and t.id = e.record_id
     where ${where.join(' and ')} order by e.${column} ${direction}, e.record_id ${direction} limit ${limit + 1}`,
    values.list,
    predicate.visibility(definition) === 'ALL' ? 'LIST' : 'SCAN',
  )
  const page = rows.slice(0, limit)
  const hasMore = rows.length > limit
  return {
    data: page.map(({ id }) => ({
      object: name,
      recordId: id,
      account: null,
      contact: null,
      lead: null,
      [name]: { id },
    })),
    limit,
    hasMore,
    nextCursor: hasMore ? cursorOf(object, orderBy, page.at(-1)!) : null,
  }
}

const cursorOf = (object: EngagementObject, orderBy: EngagementOrder, { sum, id }: Pick<Row, 'sum' | 'id'>): string =>
  Buffer.from(JSON.stringify(['engagement', object, orderBy, sum, id])).toString('base64url')

function positionOf(cursor: string, object: EngagementObject, orderBy: EngagementOrder): Pick<Row, 'sum' | 'id'> {
  const message = 'The cursor must be a value that this API returned for the same object and order.'
  const refused = invalid({ path: 'cursor', code: 'NOT_A_CURSOR', message })
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw refused
  }
  if (!Array.isArray(parsed) || parsed.length !== 5) throw refused
  const [name, ofObject, ofOrder, sum, id] = parsed as unknown[]
  const isOfList = name === 'engagement' && ofObject === object && ofOrder === orderBy
  if (!isOfList || typeof sum !== 'number' || !Number.isFinite(sum) || !isId(id)) throw refused
  return { sum, id }
}
