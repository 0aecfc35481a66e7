import type { RequestContext } from '../../kernel/request.ts'
import { threadTask, type ThreadTask } from '../../kernel/work/thread-task.ts'
import { bounds } from './bounds.ts'
import type { EngagementConfig } from './defaults.types.ts'
import { refuseBatches, refuseInvalid } from './check-input.ts'
import { halfLifeDaysDefault, kDefault } from './decay.ts'
import { countUse } from './engagement-use.ts'
import type {
  EngagementBatchInput,
  EngagementNextStepsInput,
  EngagementPortfolioInput,
  EngagementRankInput,
  EngagementTrendInput,
} from './engagement.inputs.ts'
import { EngagementActivityType, RelationshipType } from './engagement.enumerations.ts'
import type { EngagementTask, nextSteps, portfolio, rank, RankAnswer, Selection } from './engagement.task.ts'
import type { EngagementRanking, EngagementRankings, RankedEntity } from './engagement.types.ts'
import { defaultEdges } from './entities.ts'
import { digestOf, keepAnswer, keptAnswer } from './kept-answers.ts'
import { windowDaysDefault } from './momentum.ts'
import { entityPieces, itemsOf } from './pieces.ts'
import type { EngagementNextSteps, EngagementPortfolio } from './portfolio.types.ts'
import { rankSharesDefault } from './rank.ts'
import { defaultWeights } from './weights.ts'

type Context = RequestContext<'work'>

const rankTask = threadTask<typeof rank>(import.meta.url, './engagement.task', 'rank')
const portfolioTask = threadTask<typeof portfolio>(import.meta.url, './engagement.task', 'portfolio')
const nextStepsTask = threadTask<typeof nextSteps>(import.meta.url, './engagement.task', 'nextSteps')

interface Wanted {
  readonly selection: Selection
  readonly significantOnly: boolean
}

interface Computed<Answer> {
  readonly answer: Answer
  readonly computedAt: string
}

/** Runs a task in a worker thread, or returns its answer to an equal request of the last minute. */
async function compute<Extra extends object, Answer>(
  ctx: Context,
  task: ThreadTask<EngagementTask & Extra, Answer>,
  { entities, config }: Pick<EngagementRankInput, 'entities' | 'config'>,
  extra: Extra,
): Promise<Computed<Answer>> {
  const beganMs = performance.now()
  const { organizationId } = ctx.caller
  const pieces = await entityPieces(entities, organizationId)
  const settings = { ...config }
  const digest = await digestOf(ctx, task.name, pieces, { settings, ...extra })
  const kept = await keptAnswer(ctx, digest)
  if (kept) {
    await countUse(ctx, null)
    return { answer: JSON.parse(kept.answer) as Answer, computedAt: kept.computedAt }
  }
  const now = ctx.clock.now()
  const answer = await ctx.work.run(task, { pieces, settings, nowMs: now.getTime(), ...extra }, organizationId)
  const computedAt = now.toISOString()
  await keepAnswer(ctx, digest, { answer: JSON.stringify(answer), computedAt })
  await countUse(ctx, { entities: entities.length, durationMs: performance.now() - beganMs })
  return { answer, computedAt }
}

async function rankingOf(ctx: Context, input: EngagementRankInput, wanted: Wanted): Promise<EngagementRanking> {
  const limit = input.limit ?? bounds.limitDefault
  const { answer, computedAt } = await compute<Wanted & { limit: number }, RankAnswer>(ctx, rankTask, input, {
    limit,
    ...wanted,
  })
  const results = await itemsOf<RankedEntity>(answer.pieces, ctx.caller.organizationId)
  return { results, computedAt, stats: answer.stats }
}

const all: Wanted = { selection: 'ALL', significantOnly: false }

export async function rankRequest(ctx: Context, input: EngagementRankInput): Promise<EngagementRanking> {
  refuseInvalid([['input', input]], 'input.entities')
  return rankingOf(ctx, input, all)
}

/** The entities of a request whose engagement falls, or rises. */
export async function trendRequest(
  ctx: Context,
  input: EngagementTrendInput,
  selection: Selection,
): Promise<EngagementRanking> {
  refuseInvalid([['input', input]], 'input.entities')
  return rankingOf(ctx, input, { selection, significantOnly: input.significantOnly ?? false })
}

/** One list after the other, so that a request has one thread at a time. */
export async function batchRequest(ctx: Context, { batches }: EngagementBatchInput): Promise<EngagementRankings> {
  refuseBatches(batches.length)
  refuseInvalid(
    batches.map((batch, index) => [`input.batches.${index}`, batch] as const),
    'input.batches',
  )
  const results: EngagementRanking[] = []
  for (const batch of batches) results.push(await rankingOf(ctx, batch, all))
  return { results }
}

export async function portfolioRequest(ctx: Context, input: EngagementPortfolioInput): Promise<EngagementPortfolio> {
  refuseInvalid([['input', input]], 'input.entities')
  const { answer, computedAt } = await compute(ctx, portfolioTask, input, {})
  return { ...(answer as unknown as Omit<EngagementPortfolio, 'computedAt'>), computedAt }
}

export async function nextStepsRequest(
  ctx: Context,
  { entity, config = null }: EngagementNextStepsInput,
): Promise<EngagementNextSteps> {
  const part = { entities: [entity], config, place: 'input.entity' }
  refuseInvalid([['input', part]], 'input.entity')
  const { answer } = await compute(ctx, nextStepsTask, part, {})
  return answer as unknown as EngagementNextSteps
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
