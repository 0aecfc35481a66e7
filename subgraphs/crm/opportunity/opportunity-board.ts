import { Field, Int, ObjectType } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { readGroups } from '../../kernel/record/connection.ts'
import { figuresBy } from '../../kernel/record/figures-by.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { pageSize } from '../../kernel/record/list.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { PipelineStage } from '../pipeline/pipeline.ts'
import { findPipeline } from '../pipeline/stored-pipeline.ts'
import { opportunity } from './opportunity.record.ts'
import { currencyFigures, OpportunityCurrencyTotal } from './opportunity.stats.ts'
import { Opportunity } from './opportunity.ts'

@ObjectType({ description: 'The opportunities in one stage of a deal board.' })
@RequiresScope('OPPORTUNITIES')
export class OpportunityBoardColumn {
  @Field(() => PipelineStage, { description: 'The stage of the pipeline whose opportunities follow.' })
  stage!: PipelineStage

  @Field(() => Int, { description: 'Number of all matching opportunities in the stage.' })
  count!: number

  @Field(() => [OpportunityCurrencyTotal], {
    description:
      'Sums of all matching opportunities in the stage for each currency, ordered by currency; empty if the profile hides `currency`.',
  })
  totals!: OpportunityCurrencyTotal[]

  @Field(() => [Opportunity], { description: 'The first matching opportunities in the stage, newest first.' })
  opportunities!: object[]

  @Field(() => String, {
    nullable: true,
    description:
      'Cursor of the next opportunities in the stage, for `after` of `opportunityConnection` or `cursor` of the list, with the same filter, the pipeline and the stage; null if there are no more.',
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'The opportunities of a pipeline by stage, as a deal board shows them.' })
@RequiresScope('OPPORTUNITIES')
export class OpportunityBoard {
  @Field(() => String, { description: 'Id of the pipeline.' })
  pipelineId!: string

  @Field(() => String, { description: 'Name of the pipeline.' })
  pipelineName!: string

  @Field(() => [OpportunityBoardColumn], {
    description: 'The stages in use in their order, and retired stages that have matching opportunities.',
  })
  columns!: OpportunityBoardColumn[]
}

export interface BoardArgs {
  readonly pipelineId?: string | null
  readonly perStage: number
  readonly filter?: FilterInput | null
}

/** One statement reads the totals of all stages, and one the first opportunities of each. */
export async function opportunityBoard(
  ctx: RequestContext,
  { pipelineId = null, perStage, filter }: BoardArgs,
  info: SelectionInfo,
): Promise<OpportunityBoard> {
  const first = pageSize(perStage, 'perStage')
  const pipeline = await findPipeline(ctx, pipelineId)
  if (!pipeline) throw notFound('The pipeline')
  const inPipeline = { pipelineId: { eq: pipeline.id } }
  const list = { filter: filter ? { and: [inPipeline, filter] } : inPipeline }
  const names = pipeline.stages.map(({ name }) => name)
  const [totals, groups] = await Promise.all([
    figuresBy(ctx, opportunity, ['stage', 'currency'], currencyFigures, list),
    readGroups(
      ctx,
      opportunity,
      'stage',
      names,
      { ...list, first },
      selectedFields(info, ['columns', 'opportunities']),
    ),
  ])
  const columns = pipeline.stages.map((stage, index) => {
    const own = totals.filter(({ stage: name }) => name === stage.name)
    const { nodes, pageInfo } = groups[index]!
    return {
      stage,
      count: own.reduce((sum, { count }) => sum + (count ?? 0), 0),
      totals: own as OpportunityCurrencyTotal[],
      opportunities: [...nodes],
      nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
    }
  })
  const shown = columns.filter(({ stage, opportunities }) => stage.isActive || opportunities.length > 0)
  return { pipelineId: pipeline.id, pipelineName: pipeline.name, columns: shown }
}
