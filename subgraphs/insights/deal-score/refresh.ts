import type { Sql } from '../../kernel/database/sql.ts'
import { columnOf, factorKeys } from './factors.ts'
import { factorsSql } from './factors-sql.ts'
import { ensureModel } from './model.ts'

const columns = factorKeys.map(columnOf)
export const valueColumns: string = columns.join(', ')

/** Days for which the first score of the day is kept. */
export const trendDays = 90

export interface Moment {
  readonly now: Date
  /** Time zone of the organization. */
  readonly zone: string
}

/**
 * Computes the factors of deals. Their rows are locked before, so that the statement sees what was committed before the lock, and whoever
 * marks a row during it does so afterwards. A deal that is closed or deleted loses its row.
 */
export async function refreshDeals(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
  { now, zone }: Moment,
): Promise<void> {
  if (ids.length === 0) return
  await ensureModel(sql, organizationId, now)
  await sql.transaction(
    async (inside) => {
      const found = [organizationId, ids]
      await inside.query(
        `insert into insights.deal_score (organization_id, deal_id, is_dirty)
         select $1, o.id, true from crm.opportunity o where o.organization_id = $1 and o.id = any($2::uuid[]) order by o.id
         on conflict do nothing`,
        found,
        'WRITE',
      )
      await inside.query(
        `select from insights.deal_score where organization_id = $1 and deal_id = any($2::uuid[]) order by deal_id for update`,
        found,
      )
      await inside.query(
        `update insights.deal_score s set ${columns.map((column) => `${column} = f.${column}`).join(', ')}, deal_version = f.version,
           last_activity_date = f.last_activity_date, next_activity_date = f.next_activity_date, computed_at = $3::timestamptz, is_dirty = false
         from (${factorsSql}) f where s.organization_id = $1 and s.deal_id = f.id`,
        [...found, now.toISOString(), zone],
        'WRITE',
      )
      await inside.query(
        `delete from insights.deal_score s where s.organization_id = $1 and s.deal_id = any($2::uuid[]) and not exists (
           select from crm.opportunity o where o.organization_id = $1 and o.id = s.deal_id and o.deleted_at is null and not o.is_closed)`,
        found,
        'WRITE',
      )
    },
    { mayBeLost: true },
  )
}

/** Keeps the first factors of the day. */
export async function keepDay(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
  { now, zone }: Moment,
): Promise<void> {
  await sql.query(
    `insert into insights.deal_score_day (organization_id, deal_id, day, ${valueColumns})
     select $1, deal_id, ($3::timestamptz at time zone $4::text)::date, ${valueColumns}
     from insights.deal_score where organization_id = $1 and deal_id = any($2::uuid[]) and computed_at is not null
     on conflict do nothing`,
    [organizationId, ids, now.toISOString(), zone],
    'WRITE',
  )
}
