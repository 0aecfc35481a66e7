import { readReference } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { pipeline } from '../pipeline/pipeline.record.ts'
import type { PipelineStage } from '../pipeline/pipeline.ts'
import type { Opportunity } from './opportunity.ts'

export const dayMs = 86_400_000

const msInStage = ({ clock }: RequestContext, { stageEnteredAt }: Pick<Opportunity, 'stageEnteredAt'>): number =>
  Math.max(0, clock.now().getTime() - Date.parse(stageEnteredAt))

/** Whole days since an open opportunity entered its stage; null if it is closed. No profile can hide what it needs. */
export const daysInStage = (ctx: RequestContext, deal: Opportunity): number | null =>
  deal.isClosed ? null : Math.floor(msInStage(ctx, deal) / dayMs)

const selected: ReadonlySet<string> = new Set(['stages'])

/** Whether an open opportunity has been in its stage for longer than the stage allows. */
export async function isRotten(ctx: RequestContext, deal: Opportunity): Promise<boolean> {
  if (deal.isClosed) return false
  const found = (await readReference(ctx, pipeline, deal.pipelineId, selected)) as {
    readonly stages: readonly PipelineStage[]
  } | null
  const days = found?.stages.find(({ name }) => name === deal.stage)?.rottenAfterDays ?? null
  return days !== null && msInStage(ctx, deal) > days * dayMs
}
