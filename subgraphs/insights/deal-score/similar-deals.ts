import type { RequestContext } from '../../kernel/request.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { rounded } from '../largest-remainder.ts'
import { hidesOfDeals, shapes } from './shown-factors.ts'

/** The closed deals that are compared, the last ones that the caller sees. */
const candidatesMax = 2000
export const similarMax = 5

/** What a deal has in common with another one. A value that is unknown, or hidden from the caller, is not compared. */
export interface Traits {
  readonly accountId: string | null
  readonly pipelineId: string | null
  readonly type: string | null
  readonly leadSource: string | null
  readonly ownerId: string | null
  /** In the base currency. */
  readonly amount: number | null
  readonly contacts: number | null
}

const categories = ['accountId', 'pipelineId', 'type', 'leadSource', 'ownerId'] as const
const numbers = ['amount', 'contacts'] as const

export type Ranges = Readonly<Record<(typeof numbers)[number], number>>

/** The difference between the largest and the smallest value of each number. */
export function rangesOf(all: readonly Traits[]): Ranges {
  const range = (name: (typeof numbers)[number]): number => {
    const known = all.flatMap((one) => one[name] ?? [])
    return known.length === 0 ? 0 : known.reduce((a, b) => Math.max(a, b)) - known.reduce((a, b) => Math.min(a, b))
  }
  return { amount: range('amount'), contacts: range('contacts') }
}

/** Gower's similarity, 0 to 1: the average over the traits that both deals have. */
export function similarityOf(one: Traits, other: Traits, ranges: Ranges): number {
  const parts: number[] = []
  for (const name of categories) {
    if (one[name] !== null && other[name] !== null) parts.push(one[name] === other[name] ? 1 : 0)
  }
  for (const name of numbers) {
    const [a, b] = [one[name], other[name]]
    if (a !== null && b !== null) parts.push(ranges[name] === 0 ? 1 : 1 - Math.abs(a - b) / ranges[name])
  }
  return parts.length === 0 ? 0 : parts.reduce((sum, part) => sum + part, 0) / parts.length
}

export interface SimilarDeal {
  readonly id: string
  readonly outcome: 'WON' | 'LOST'
  readonly similarity: number
}

interface Row extends Traits {
  readonly id: string
  readonly isWon: boolean
  readonly isItself: boolean
  readonly [column: string]: unknown
}

/** The closed deals that the caller sees and that are most like this one; among equals the one that was closed last. */
export async function similarDeals(ctx: RequestContext, id: string): Promise<SimilarDeal[]> {
  const predicate = computedOver(ctx)
  const { values } = predicate
  const live = predicate.live(shapes.opportunity(), 't')
  const shown = (name: string, sql: string): string => (hidesOfDeals(ctx, name) ? 'null' : sql)
  const own = `${values.add(id)}::uuid`
  const columns = `t.id, t.is_won as "isWon", t.id = ${own} as "isItself", t.account_id as "accountId", t.pipeline_id as "pipelineId",
    ${shown('type', 't.type')} as type, ${shown('leadSource', 't.lead_source')} as "leadSource", ${shown('ownerId', 't.owner_id')} as "ownerId",
    ${shown('amount', shown('baseAmount', 't.base_amount::float8'))} as amount, ${shown('contactRoles', 'cardinality(t.contact_ids)')} as contacts`
  const rows = await ctx.db.query<Row>(
    `(select ${columns} from crm.opportunity t where ${live} and t.id = ${own})
     union all
     (select ${columns} from tenant.crm_opportunity t where ${live} and t.is_closed and t.closed_at is not null and t.id <> ${own}
      order by t.closed_at desc, t.created_at desc, t.id desc limit ${candidatesMax})`,
    values.list,
  )
  const itself = rows.find(({ isItself }) => isItself)
  if (!itself) return []
  const ranges = rangesOf(rows)
  return rows
    .filter(({ isItself }) => !isItself)
    .map((row) => ({
      id: row.id,
      outcome: row.isWon ? ('WON' as const) : ('LOST' as const),
      similarity: rounded(similarityOf(itself, row, ranges), 4),
    }))
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, similarMax)
}
