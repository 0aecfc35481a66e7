import { Field, Float, Int, ObjectType } from 'type-graphql'
import { filteredRows } from '../../kernel/record/figures-by.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import type { Values } from '../../kernel/record/predicate.ts'
import { count, countBy } from '../../kernel/record/aggregates.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import { shareOf } from '../../kernel/values/share.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { SmartEmailStatus } from './smart-email.enumerations.ts'
import { smartEmailDraft } from './smart-email.record.ts'

const StatusCounts = valueCounts(SmartEmailStatus, 'EMAILS', 'drafts')
/** The sent drafts whose mails are counted. */
export const countedMax = 1_000

@ObjectType({ description: 'Statistics of the drafts that the caller sees.' })
@RequiresScope('EMAILS')
export class SmartEmailDraftStats {
  @Field(() => Int, { description: 'Number of drafts that are not discarded.' })
  total!: number

  @Field(() => Int, { description: 'Number of drafts whose text a model or the rules of the platform wrote.' })
  generated!: number

  @Field(() => StatusCounts, { description: 'Number of drafts by `status`; discarded ones are not counted.' })
  byStatus!: Counts

  @Field(() => Int, {
    description: `Number of mails in the rates: those of the ${countedMax.toLocaleString('en')} drafts that were sent last.`,
  })
  counted!: number

  @Field(() => Float, {
    nullable: true,
    description: 'Share of these mails that a person opened, 0 to 1; null without mails.',
  })
  openRate!: number | null

  @Field(() => Float, {
    nullable: true,
    description: 'Share of these mails with a link that a person followed, 0 to 1; null without mails.',
  })
  clickRate!: number | null

  @Field(() => Float, {
    nullable: true,
    description: 'Share of these mails that a person answered, 0 to 1; null without mails.',
  })
  replyRate!: number | null
}

interface Engagement {
  readonly counted: number
  readonly opened: number
  readonly clicked: number
  readonly replied: number
}

/**
 * What became of the mails of the drafts that were sent last. A mail that the caller does not see as a thread counts too: the draft is seen. The
 * shared drafts and the own ones are ranges of two indexes in the order of their sending.
 */
async function engagementOf(ctx: RequestContext, filter: FilterInput | null): Promise<Engagement> {
  if (filter) {
    const { source, values } = filteredRows(ctx, smartEmailDraft, filter)
    const sent = `select t.organization_id, t.message_id from ${source} and t.status = 'SENT' order by t.sent_at desc limit ${countedMax}`
    return engagementIn(ctx, sent, values)
  }
  const predicate = computedOver(ctx)
  const live = predicate.live(smartEmailDraft, 'd')
  const last = (condition: string) =>
    `(select d.organization_id, d.message_id, d.sent_at from ${smartEmailDraft.table} d
      where ${live} and d.status = 'SENT' and ${condition} order by d.sent_at desc limit ${countedMax})`
  const own = `not d.is_shared and d.owner_id = ${predicate.values.add(ctx.caller.userId)}`
  return engagementIn(
    ctx,
    `${last('d.is_shared')} union all ${last(own)} order by sent_at desc limit ${countedMax}`,
    predicate.values,
  )
}

/** What became of the mails of these drafts. */
async function engagementIn(ctx: RequestContext, drafts: string, values: Values): Promise<Engagement> {
  const [row] = await ctx.db.query<Engagement & Record<string, unknown>>(
    `select count(*)::int as counted, count(*) filter (where m.open_count > 0)::int as opened,
       count(*) filter (where m.clicks <> '[]')::int as clicked, count(*) filter (where m.status = 'REPLIED')::int as replied
     from (${drafts}) d
     join outreach.email_message m on m.organization_id = d.organization_id and m.id = d.message_id`,
    values.list,
    'SCAN',
  )
  return row!
}

export async function smartEmailStats(ctx: RequestContext, filter: FilterInput | null): Promise<SmartEmailDraftStats> {
  const [counts, { counted, opened, clicked, replied }] = await Promise.all([
    figures(
      ctx,
      smartEmailDraft,
      {
        total: count(),
        generated: count({ generation: { isNull: false } }),
        byStatus: countBy('status'),
      },
      filter,
    ),
    engagementOf(ctx, filter),
  ])
  return {
    ...(counts as Pick<SmartEmailDraftStats, 'total' | 'generated' | 'byStatus'>),
    counted,
    openRate: shareOf(opened, counted),
    clickRate: shareOf(clicked, counted),
    replyRate: shareOf(replied, counted),
  }
}
