import type { Sql } from '../../database/sql.ts'
import { inTurn } from '../../jobs/in-turn.ts'
import { rollupLock } from './build-rollup.ts'
import { rollupDeltaTable, rollupTable } from './rollup-tables.ts'

/** Differences that one statement merges: it takes well under a second. */
const differencesMax = 10_000
const rollupsMax = 1_000

interface Due extends Record<string, unknown> {
  readonly organizationId: string
  readonly rollupId: string
}

const mergeSql = `
  with merged as (
    delete from ${rollupDeltaTable} where ctid = any(array(
      select ctid from ${rollupDeltaTable} where organization_id = $1 and rollup_id = $2
      order by parent_id limit ${differencesMax} for update skip locked))
      and organization_id = $1 and rollup_id = $2
    returning parent_id, n, total),
  written as (
    insert into ${rollupTable} as r (organization_id, rollup_id, parent_id, n, total)
    select $1, $2, parent_id, sum(n), sum(total) from merged group by parent_id order by parent_id
    on conflict (organization_id, rollup_id, parent_id)
      do update set n = r.n + excluded.n, total = r.total + excluded.total)
  select count(*)::int as count from merged`

/** Merges open differences of one rollup; false when none are left, or when its totals are being built. */
function mergeSome(database: Sql, { organizationId, rollupId }: Due): Promise<boolean> {
  return database.transaction(async (sql) => {
    const [lock] = await sql.query<{ isFree: boolean }>(
      `select pg_try_advisory_xact_lock_shared(${rollupLock('$1', '$2')}) as "isFree"`,
      [organizationId, rollupId],
    )
    if (!lock!.isFree) return false
    const [row] = await sql.query<{ count: number }>(mergeSql, [organizationId, rollupId])
    return row!.count === differencesMax
  })
}

/**
 * Merges the open differences of rollups of all organizations into their totals. A statement replaces rows by one with the same sum, so every reader sees the same
 * value before and after it, and a process that is killed leaves nothing half done. Any number of processes may do it at once.
 */
export async function mergeRollups(database: Sql): Promise<void> {
  const due = await database.query<Due>(
    `select distinct organization_id as "organizationId", rollup_id as "rollupId" from ${rollupDeltaTable} limit ${rollupsMax}`,
  )
  await inTurn(due, (one) => mergeSome(database, one))
}
