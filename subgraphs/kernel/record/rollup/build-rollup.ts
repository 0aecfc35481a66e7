import { lockOf } from '../../database/locks.ts'
import type { RequestContext } from '../../request.ts'
import { sumsOf, totalsOf } from './rollup.ts'
import type { CompiledRollup } from './rollup-definition.ts'
import { rollupDeltaTable, rollupTable, rollupValueTable } from './rollup-tables.ts'
import { valueColumnsOf, writeValues } from './rollup-values.ts'

/** SQL of the key of the lock of one rollup: it is built or merged, not both at once. */
export const rollupLock = (organization: string, rollup: string): string =>
  lockOf('rollups', `${organization}::text || ${rollup}::text`)

/**
 * Sets the totals of some parents: what their children are, less the open differences of the same snapshot, which are added later. No differences
 * are merged meanwhile. In a transaction with the definitions of the organization.
 */
export async function buildTotals(
  { db, caller }: RequestContext,
  rollup: CompiledRollup,
  parents: readonly string[],
): Promise<void> {
  const { id } = rollup.definition
  const { organizationId } = caller
  // A statement of its own: the next one sees what was merged before.
  await db.query(`select pg_advisory_xact_lock(${rollupLock('$1', '$2')})`, [organizationId, id])
  await db.query(
    `insert into ${rollupTable} (organization_id, rollup_id, parent_id, n, total)
     select $1, $2, p.id, a.n - d.n, a.total - d.total from unnest($3::uuid[]) p(id)
     cross join lateral (${sumsOf(rollup, '$1', 'p.id')}) a
     cross join lateral (
       select coalesce(sum(o.n), 0)::int8 as n, coalesce(sum(o.total), 0) as total
       from (${totalsOf(rollupDeltaTable, id, '$1', 'p.id')}) o) d
     where a.n <> d.n or a.total <> d.total or exists (${totalsOf(rollupTable, id, '$1', 'p.id')})
     on conflict (organization_id, rollup_id, parent_id) do update set n = excluded.n, total = excluded.total`,
    [organizationId, id, parents],
    'WRITE',
  )
}

/**
 * Writes the rows of some child records, in place of those from an earlier time in which the rollup was in use. The records are locked, so their rows are of the
 * versions that they have until the transaction ends. In a transaction with the definitions of the organization.
 */
export async function buildValues(
  { db, caller }: RequestContext,
  rollup: CompiledRollup,
  children: readonly string[],
): Promise<void> {
  const { childTable } = rollup
  const values = [caller.organizationId, children]
  await db.query(
    `select t.id from ${childTable} t where t.organization_id = $1 and t.id = any($2::uuid[]) order by t.id for share`,
    values,
  )
  const found = `${childTable} t where t.organization_id = $1 and t.id = any($2::uuid[]) and ${rollup.conditionSql('t')}`
  await db.query(
    `delete from ${rollupValueTable} v where v.organization_id = $1 and v.rollup_id = $3 and v.child_id = any($2::uuid[])
       and v.child_id not in (select t.id from ${found})`,
    [...values, rollup.definition.id],
    'WRITE',
  )
  await db.query(writeValues(`select ${valueColumnsOf(rollup, 't')} from ${found} order by t.id`), values, 'WRITE')
}

/** Removes what is stored of a rollup; with parents, of these. */
export async function forgetRollup(
  { db, caller }: RequestContext,
  id: string,
  parents: readonly string[] | null = null,
): Promise<void> {
  const values = [caller.organizationId, id]
  await db.query(`select pg_advisory_xact_lock(${rollupLock('$1', '$2')})`, values)
  const all = 'organization_id = $1 and rollup_id = $2'
  if (parents === null) {
    for (const table of [rollupTable, rollupDeltaTable, rollupValueTable])
      await db.query(`delete from ${table} where ${all}`, values, 'WRITE')
    return
  }
  const some = `${all} and parent_id = any($3::uuid[])`
  for (const condition of [
    `${rollupTable} where ${some}`,
    `${rollupDeltaTable} where ${some}`,
    `${rollupValueTable} where ${some} and number_value is not null`,
    `${rollupValueTable} where ${some} and time_value is not null`,
  ])
    await db.query(`delete from ${condition}`, [...values, parents], 'WRITE')
}
