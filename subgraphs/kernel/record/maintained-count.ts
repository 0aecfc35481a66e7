import type { RequestContext } from '../request.ts'
import type { Sql } from '../database/sql.ts'
import type { RecordShape } from './definition.ts'

/**
 * The maintained count of live rows per organization and record type. Triggers append a difference in the transaction of each
 * change, so writers never wait for each other. A read sums the differences in one snapshot. `mergeMaintainedCounts` merges them.
 */
export async function maintainedCount(ctx: RequestContext, definition: RecordShape): Promise<number> {
  const sql = `select (${maintainedCountSql('$1', '$2')}) as total`
  const [row] = await ctx.db.query<{ total: number }>(sql, [ctx.caller.organizationId, definition.object])
  return row!.total
}

/** The SQL of `maintainedCount` as a subquery. The arguments are placeholders. */
export const maintainedCountSql = (organization: string, object: string): string =>
  `select coalesce(sum(n), 0)::int8 from kernel.record_total where organization_id = ${organization} and object = ${object}`

/** Replaces the differences of one organization and record type by their sum. Safe at any time and in several workers at once. */
export async function mergeMaintainedCounts(sql: Sql): Promise<void> {
  await sql.query(`
    with to_merge as (
      select organization_id, object from kernel.record_total group by organization_id, object having count(*) > 20 limit 1000
    ), deleted as (
      delete from kernel.record_total t using to_merge c
      where t.organization_id = c.organization_id and t.object = c.object
      returning t.organization_id, t.object, t.n
    )
    insert into kernel.record_total (organization_id, object, n)
    select organization_id, object, sum(n) from deleted group by organization_id, object`)
}
