import { visibleAccounts, visibleContacts, visibleLeads } from '../../../crm/public.ts'
import { batchOf } from '../../../kernel/record/batch.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { dayMs } from '../../../kernel/time/wall-calendar.ts'
import { activityScore } from '../activity-score.ts'
import { cappedChannels, cappedSum, decayOf, kDefault } from '../decay.ts'
import { momentumOf, momentumScore } from '../momentum.ts'
import { shownMomentum } from '../score-entities.ts'
import { rounded } from '../../largest-remainder.ts'
import { channels, columnOf, epoch, pointsSql } from './channels.ts'
import type { RecordEngagement } from './record-engagement.ts'
import { scoredObjects, type ScoredObject } from './scored-objects.ts'

const visible = { account: visibleAccounts, contact: visibleContacts, lead: visibleLeads }
const noFields: ReadonlySet<string> = new Set()

/** Columns of activities on which the scores depend and which a profile can hide. */
const facts = ['direction', 'outcome', 'sentiment']

/** What the scores are made of and the profile hides: somebody could otherwise tell it from the score. */
export const hiddenFacts = ({ caller }: RequestContext, object: ScoredObject): string[] => {
  const fields = caller.fields?.['activity']
  return [...facts, scoredObjects[object].field].filter((name) => fields?.[name] === 'HIDDEN')
}

export const isHidden = (ctx: RequestContext, object: ScoredObject): boolean => hiddenFacts(ctx, object).length > 0

/** The engagement of a record that the caller sees; null if the caller does not see it, or its facts are hidden. All records of an operation are read together. */
export async function engagementOf(
  ctx: RequestContext,
  object: ScoredObject,
  id: string,
): Promise<RecordEngagement | null> {
  if (isHidden(ctx, object)) return null
  return batchOf(ctx, noFields, `engagement.${object}`, (ids) => readEngagement(ctx, object, ids)).load(id)
}

async function readEngagement(
  ctx: RequestContext,
  object: ScoredObject,
  ids: readonly string[],
): Promise<(RecordEngagement | null)[]> {
  const seen = await visible[object](ctx, ids)
  const wanted = [...new Set(ids)].filter((id) => seen.has(id))
  if (wanted.length === 0) return ids.map(() => null)
  const now = ctx.clock.now()
  const [sums, k, moments] = await Promise.all([
    readSums(ctx, object, wanted),
    readK(ctx, object),
    readMoments(ctx, object, wanted, now),
  ])
  const decay = decayOf((now.getTime() - Date.parse(epoch)) / dayMs, scoredObjects[object].halfLifeDays)
  return ids.map((id) => {
    if (!seen.has(id)) return null
    const row = sums.get(id)
    const capped = cappedChannels(
      new Map(channels.map((channel) => [channel, (row?.[columnOf(channel)] ?? 0) * decay])),
    )
    const own = moments.get(id) ?? []
    const counts = new Map<string, number>()
    for (const { type } of own) counts.set(type, (counts.get(type) ?? 0) + 1)
    const { score, signals } = activityScore({ channels: capped, counts, sum: cappedSum(capped) }, k)
    const momentum = momentumOf(own, now.getTime())
    return {
      score,
      channels: signals,
      momentumScore: rounded(momentumScore(momentum.velocity)),
      momentum: shownMomentum(momentum),
      k: rounded(k, 6),
      computedAt: now.toISOString(),
    }
  })
}

type Sums = Readonly<Record<string, number>>

async function readSums(
  { db, caller }: RequestContext,
  object: ScoredObject,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Sums>> {
  const rows = await db.query<Sums & { id: string }>(
    `select record_id as id, ${channels.map(columnOf).join(', ')} from insights.engagement
     where organization_id = $1 and object = $2 and record_id = any($3::uuid[])`,
    [caller.organizationId, object, ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

async function readK({ db, caller }: RequestContext, object: ScoredObject): Promise<number> {
  const [row] = await db.query<{ k: number }>(
    'select k from insights.engagement_k where organization_id = $1 and object = $2',
    [caller.organizationId, object],
  )
  return row?.k ?? kDefault
}

interface StoredMoment {
  readonly id: string
  readonly type: string
  readonly atMs: number
  readonly points: number
}

/** Activities of one record that momentum and counts are made of, the newest ones. */
const momentsMax = 200

async function readMoments(
  { db, caller }: RequestContext,
  object: ScoredObject,
  ids: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, StoredMoment[]>> {
  const { link } = scoredObjects[object]
  const rows = await db.query<StoredMoment>(
    `select ids.id, one.type, one.at_ms as "atMs", one.points from unnest($2::uuid[]) as ids (id) cross join lateral (
       select a.type, date_part('epoch', a.occurred_at) * 1000 as at_ms, ${pointsSql} as points from crm.activity a
       where a.organization_id = $1 and a.${link} = ids.id and a.deleted_at is null and a.occurred_at <= $3
       order by a.occurred_at desc, a.id desc limit ${momentsMax}) one
     where one.points > 0`,
    [caller.organizationId, ids, now.toISOString()],
  )
  return Map.groupBy(rows, ({ id }) => id)
}
