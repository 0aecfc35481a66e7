import type { Sql } from '../../../kernel/database/sql.ts'
import type { Job } from '../../../kernel/jobs/job.ts'
import type { Services } from '../../../kernel/request.ts'
import { eachOrganization } from '../../../identity/public.ts'
import { pointsMin, velocityMax, velocityMin, windowDaysDefault } from '../momentum.ts'
import { pointsSql } from './channels.ts'
import { objectNames, scoredObjects, type ScoredObject } from './scored-objects.ts'

/** Records of one statement. */
export const batchSize = 1000

const windows = ['last_points', 'previous_points', 'earlier_points'] as const
const hours = 24 * windowDaysDefault

/** `momentumOf` as SQL: a time at the end of a window belongs to it. */
const windowSql = (index: number): string => {
  const from = `$4::timestamptz - interval '${hours * (index + 1)} hours'`
  const newer = index === 0 ? '' : ` and a.occurred_at < $4::timestamptz - interval '${hours * index} hours'`
  return `coalesce(sum(${pointsSql}) filter (where a.occurred_at >= ${from}${newer}), 0) as ${windows[index]}`
}

/**
 * The next records with engagement, each with a range of the index of its activities. They are locked in the order of their ids, as by whoever
 * changes their sums. Rows that stay equal are not written.
 */
const stepSql = (object: ScoredObject): string => `
  with known as (
    select record_id from insights.engagement where organization_id = $1 and object = '${object}' and record_id > $2
    order by record_id limit $3 for no key update
  ), found as (
    select k.record_id, w.*,
      least(${velocityMax}, greatest(${velocityMin}, (w.last_points - w.previous_points) / greatest(w.previous_points, ${pointsMin}))) as velocity
    from known k cross join lateral (
      select ${windows.map((_, index) => windowSql(index)).join(', ')}
      from crm.activity a where a.organization_id = $1 and a.${scoredObjects[object].link} = k.record_id and a.deleted_at is null
        and a.occurred_at <= $4::timestamptz and a.occurred_at >= $4::timestamptz - interval '${hours * windows.length} hours'
    ) w
  ), changed as (
    update insights.engagement e set ${[...windows, 'velocity'].map((column) => `${column} = f.${column}`).join(', ')}
    from found f where e.organization_id = $1 and e.object = '${object}' and e.record_id = f.record_id
      and (e.last_points, e.previous_points, e.earlier_points) is distinct from (f.last_points, f.previous_points, f.earlier_points)
  )
  select count(*)::int as count, (array_agg(record_id order by record_id desc))[1] as last from known`

/** Sets the momentum of the next records; null if there are no more, otherwise the last of them. */
export async function momentumStep(
  sql: Sql,
  { organizationId, object, after, now }: { organizationId: string; object: ScoredObject; after: string; now: Date },
): Promise<string | null> {
  const values = [organizationId, after, batchSize, now.toISOString()]
  const [step] = await sql.transaction(
    (inside) => inside.query<{ count: number; last: string | null }>(stepSql(object), values, 'WRITE'),
    { mayBeLost: true },
  )
  return step!.count < batchSize ? null : step!.last
}

/** All records of the organization at one moment, step by step. */
async function keepMomentum({ database, clock }: Services, organizationId: string): Promise<void> {
  const now = clock.now()
  for (const object of objectNames) {
    let after: string | null = '00000000-0000-0000-0000-000000000000'
    while (after !== null) after = await momentumStep(database, { organizationId, object, after, now })
  }
}

/** Time passes for every record, so all of them are looked at; after a crash they are once more. */
export const engagementMomentum: Job = {
  name: 'engagement.momentum',
  cron: '12 * * * *',
  run: (services) =>
    eachOrganization(
      services,
      'exists (select from insights.engagement e where e.organization_id = o.id)',
      (organizationId) => keepMomentum(services, organizationId),
    ),
}
