import type { Sql } from '../../../kernel/database/sql.ts'
import { exponentMax, exponentMin } from '../decay.ts'
import { channels, columnOf, epoch, pointsSql } from './channels.ts'
import { scoredObjects, type ScoredObject } from './scored-objects.ts'

const columns = channels.map(columnOf)

/** Times of activities that decide what counts: those until `now`. */
const sumsOf = (object: ScoredObject): string => {
  const { link, halfLifeDays } = scoredObjects[object]
  const sum = (type: string | null): string => {
    const ofType = type === null ? '' : ` and one.type = '${type}'`
    return `coalesce(sum(one.points) filter (where one.is_past${ofType}), 0)`
  }
  return `
    select ids.id, ${channels.map((channel) => `${sum(channel)} as ${columnOf(channel)}`).join(', ')}, ${sum(null)} as total,
      min(one.occurred_at) filter (where not one.is_past and one.points > 0) as next_at
    from unnest($2::uuid[]) as ids (id) left join lateral (
      select a.type, a.occurred_at, a.occurred_at <= $3 as is_past,
        ${pointsSql} * power(2::float8, least(${exponentMax}, greatest(${exponentMin},
          date_part('epoch', a.occurred_at - timestamptz '${epoch}') / 86400 / ${halfLifeDays}))) as points
      from crm.activity a where a.organization_id = $1 and a.${link} = ids.id and a.deleted_at is null
    ) one on true group by ids.id`
}

/**
 * Computes the sums of records from their activities. Whoever calls it holds the locks of the existing rows, so that the statement sees what
 * concurrent transactions have committed before.
 */
export async function rebuild(
  sql: Sql,
  organizationId: string,
  object: ScoredObject,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return
  const all = [...columns, 'total', 'next_at']
  await sql.query(
    `insert into insights.engagement (organization_id, object, record_id, ${all.join(', ')}, rebuilt_at)
     select $1, '${object}', s.id, ${all.map((column) => `s.${column}`).join(', ')}, $3::timestamptz from (${sumsOf(object)}) s
     on conflict (organization_id, object, record_id) do update set
       ${[...all, 'rebuilt_at'].map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [organizationId, ids.toSorted(), now.toISOString()],
    'WRITE',
  )
}
