import type { RequestContext } from '../../kernel/request.ts'
import { threadTask } from '../../kernel/work/thread-task.ts'
import { bounds } from './bounds.ts'
import { refuseInvalid } from './check-input.ts'
import { halfLifeDaysDefault, kDefault } from './decay.ts'
import type { EngagementConfigInput, EngagementRankInput } from './engagement.inputs.ts'
import { EngagementActivityType, RelationshipType } from './engagement.enumerations.ts'
import type { rank, Selection } from './engagement.task.ts'
import type { EngagementConfig, EngagementRanking, RankedEntity } from './engagement.types.ts'
import { defaultEdges, type EngagementSettings } from './entities.ts'
import { windowDaysDefault } from './momentum.ts'
import { entityPieces, itemsOf } from './pieces.ts'
import { rankSharesDefault } from './rank.ts'
import { defaultWeights } from './weights.ts'

type Context = RequestContext<'work'>

const rankTask = threadTask<typeof rank>(import.meta.url, './engagement.task', 'rank')

const settingsOf = (config: EngagementConfigInput | null | undefined): EngagementSettings => ({ ...config })

interface Wanted {
  readonly selection: Selection
  readonly significantOnly: boolean
}

/** Scores the entities of a request in a worker thread, and returns those that are wanted. */
export async function rankRequest(
  ctx: Context,
  input: EngagementRankInput,
  wanted: Wanted = { selection: 'ALL', significantOnly: false },
): Promise<EngagementRanking> {
  refuseInvalid([['input', input]], 'input.entities')
  return rankChecked(ctx, input, wanted)
}

async function rankChecked(
  ctx: Context,
  { entities, limit, config }: EngagementRankInput,
  wanted: Wanted,
): Promise<EngagementRanking> {
  const { organizationId } = ctx.caller
  const now = ctx.clock.now()
  const task = {
    pieces: await entityPieces(entities, organizationId),
    settings: settingsOf(config),
    nowMs: now.getTime(),
    limit: limit ?? bounds.limitDefault,
    ...wanted,
  }
  const { pieces, stats } = await ctx.work.run(rankTask, task, organizationId)
  const results = await itemsOf<RankedEntity>(pieces, organizationId)
  return { results, computedAt: now.toISOString(), stats }
}

const listed = (table: Readonly<Record<string, number>>) =>
  Object.entries(table).map(([type, weight]) => ({ type, weight }))

export const engagementConfig = (): EngagementConfig => ({
  weights: listed(defaultWeights),
  edges: listed(defaultEdges),
  activityTypes: Object.keys(EngagementActivityType),
  relationshipTypes: Object.keys(RelationshipType),
  rank: rankSharesDefault,
  halfLifeDays: halfLifeDaysDefault,
  windowDays: windowDaysDefault,
  k: kDefault,
})
