import { organizationSettings } from '../../identity/public.ts'
import { actorIdOf } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { readOnce } from '../../kernel/record/collected-writes.ts'
import type { Decided } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { PipelineStage } from '../pipeline/pipeline.ts'
import { findPipeline, type StoredPipeline } from '../pipeline/stored-pipeline.ts'
import { convertedAmount } from './opportunity.currency.ts'
import { pricedLines } from './opportunity.lines.ts'
import { enterStage, standing, targetStage, type Moment, type StageChange } from './opportunity.stage.ts'
import type { Opportunity } from './opportunity.ts'

type Given = Partial<Opportunity>

/**
 * The pipeline and the stage of a new or changed opportunity, what follows from entering the stage, its lines with their amounts, and
 * the amount in the base currency.
 */
export async function decideOpportunity(
  ctx: RequestContext,
  given: Given,
  previous: Opportunity | null,
): Promise<Decided<Opportunity>> {
  const moment = { now: ctx.clock.now().toISOString(), userId: actorIdOf(ctx.caller) }
  const { values, events } = previous ? await changed(ctx, given, previous, moment) : await created(ctx, given, moment)
  const isClosed = values.isClosed ?? previous?.isClosed ?? false
  const priced = await pricedLines(ctx, given, previous)
  const converted = await convertedAmount(ctx, { ...given, ...priced }, previous, isClosed)
  return { implied: { ...values, ...priced, ...converted }, events }
}

async function created(ctx: RequestContext, given: Given, moment: Moment): Promise<StageChange> {
  const pipeline = await pipelineInUse(ctx, given.pipelineId ?? null)
  const stage = targetStage(pipeline, given.stage ?? undefined)
  await refuseUnexplainedLoss(ctx, stage, given.lossReason)
  const entered = enterStage(stage, given, null, moment)
  return { ...entered, values: { pipelineId: pipeline.id, ...entered.values } }
}

async function changed(ctx: RequestContext, given: Given, previous: Opportunity, moment: Moment): Promise<StageChange> {
  const pipelineId = given.pipelineId?.toLowerCase() ?? previous.pipelineId
  const name = given.stage ?? previous.stage
  if (name !== previous.stage || pipelineId !== previous.pipelineId) {
    const stage = targetStage(await pipelineInUse(ctx, pipelineId, previous), name)
    await refuseUnexplainedLoss(ctx, stage, given.lossReason === undefined ? previous.lossReason : given.lossReason)
    return enterStage(stage, given, previous, moment)
  }
  if (given.probability == null && given.forecastCategory == null) return { values: {}, events: [] }
  const stage = await presentStage(ctx, previous)
  const { probability, probabilityOverridden, ...category } = standing(stage, given)
  return {
    values: {
      ...(given.probability != null && { probability, probabilityOverridden }),
      ...(given.forecastCategory != null && category),
    },
    events: [],
  }
}

const pipelineOf = (ctx: RequestContext, id: string | null): Promise<StoredPipeline | null> =>
  readOnce(ctx, `pipeline ${id}`, () => findPipeline(ctx, id))

/** A retired pipeline keeps its opportunities, but none can enter it. */
async function pipelineInUse(
  ctx: RequestContext,
  id: string | null,
  previous: Opportunity | null = null,
): Promise<StoredPipeline> {
  const pipeline = await pipelineOf(ctx, id)
  if (pipeline && (pipeline.isActive || pipeline.id === previous?.pipelineId)) return pipeline
  const message = 'pipelineId must be the id of a pipeline in use.'
  throw invalid({ path: 'pipelineId', code: 'UNKNOWN_REFERENCE', message })
}

/** The stage in which the opportunity is, also when it is retired. */
async function presentStage(ctx: RequestContext, { pipelineId, stage: name }: Opportunity): Promise<PipelineStage> {
  const pipeline = await pipelineOf(ctx, pipelineId)
  const stage = pipeline?.stages.find((candidate) => candidate.name === name)
  if (!stage) throw new Error(`The pipeline ${pipelineId} has no stage ${name}.`)
  return stage
}

async function refuseUnexplainedLoss(
  ctx: RequestContext,
  { kind, name }: PipelineStage,
  lossReason: string | null | undefined,
): Promise<void> {
  if (kind !== 'LOST' || lossReason) return
  const { requireLossReason = false } = await readOnce(ctx, 'settings', () => organizationSettings(ctx))
  if (!requireLossReason) return
  const message = `lossReason must be given in the stage ${name}; the organization requires it.`
  throw invalid({ path: 'lossReason', code: 'REQUIRED', message })
}
