import type { Job } from '../../../kernel/jobs/job.ts'
import type { Services } from '../../../kernel/request.ts'
import { channelShareMax, kDefault, kEntitiesMin, kPercentile, scoreAtPercentile } from '../decay.ts'
import { channels, columnOf, epoch } from './channels.ts'
import { rebuild } from './rebuild.ts'
import { objectNames, scoredObjects, type ScoredObject } from './scored-objects.ts'

const batchSize = 200

interface Due {
  readonly organizationId: string
  readonly object: ScoredObject
  readonly id: string
}

/** Adds planned activities, such as meetings, when their time has come. */
async function addBegun({ database, clock }: Services): Promise<void> {
  for (let found = batchSize; found === batchSize;) {
    const now = clock.now()
    found = await database.transaction(async (sql) => {
      const due = await sql.query<Due & Record<string, unknown>>(
        `select organization_id as "organizationId", object, record_id as id from insights.engagement where next_at <= $1
         order by organization_id, object, record_id limit ${batchSize} for update skip locked`,
        [now.toISOString()],
      )
      const groups = Map.groupBy(due, ({ organizationId, object }) => `${organizationId} ${object}`)
      for (const group of groups.values()) {
        const { organizationId, object } = group[0]!
        const ids = group.map(({ id }) => id)
        await rebuild(sql, organizationId, object, ids, now)
      }
      return due.length
    })
  }
}

export const engagementBegun: Job = { name: 'engagement.begun', cron: '* * * * *', run: addBegun }

/** S of F1 at the time `$1` of a row `e`, as SQL. */
export const sumSql = (halfLifeDays: number): string =>
  `(${channels.map((channel) => `least(e.${columnOf(channel)}, ${channelShareMax} * e.total)`).join(' + ')})
   * power(2::float8, date_part('epoch', timestamptz '${epoch}' - $1::timestamptz) / 86400 / ${halfLifeDays})`

/** Sets k of every organization such that the record at the 75th percentile scores 75; the default below thirty records with engagement. */
async function setK({ database, clock }: Services): Promise<void> {
  for (const object of objectNames) {
    await database.query(
      `insert into insights.engagement_k (organization_id, object, k, computed_at)
       select organization_id, '${object}', case when count(*) < ${kEntitiesMin} then ${kDefault}
         else percentile_disc(${kPercentile}) within group (order by s) / -ln(1 - ${scoreAtPercentile}::float8) end, $1::timestamptz
       from (select organization_id, ${sumSql(scoredObjects[object].halfLifeDays)} as s from insights.engagement e
         where object = '${object}' and total > 0) known where s > 0 group by organization_id
       on conflict (organization_id, object) do update set k = excluded.k, computed_at = excluded.computed_at`,
      [clock.now().toISOString()],
    )
  }
}

export const engagementK: Job = { name: 'engagement.k', cron: '20 2 * * *', run: setK }
