import { Field, Int, ObjectType } from 'type-graphql'
import { baseSumOf, ratesOf, type RatesOfDay } from '../../identity/public.ts'
import { notFound } from '../../kernel/errors.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { sum } from '../../kernel/record/aggregates.ts'
import { readGroups } from '../../kernel/record/connection.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { figuresBy } from '../../kernel/record/figures-by.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { pageSize } from '../../kernel/record/list.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import type { OrderInput } from '../../kernel/record/order.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf, sumOf } from '../../kernel/values/decimal.ts'
import { PipelineStage } from '../pipeline/pipeline.ts'
import { findPipeline } from '../pipeline/stored-pipeline.ts'
import { dayMs } from './days-in-stage.ts'
import { opportunity } from './opportunity.record.ts'
import { currencyFigures, OpportunityCurrencyTotal } from './opportunity.stats.ts'
import { Opportunity } from './opportunity.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'

@ObjectType({ description: 'The opportunities in one stage of a deal board.' })
@RequiresScope('OPPORTUNITIES')
export class OpportunityBoardColumn {
  @Field(() => PipelineStage, { description: 'The stage of the pipeline whose opportunities follow.' })
  stage!: PipelineStage

  @OutputField(() => Int, { description: 'Number of all matching opportunities in the stage.', example: 43 })
  count!: number

  @Field(() => [OpportunityCurrencyTotal], {
    description:
      'Sums of all matching opportunities in the stage for each currency, ordered by currency; empty if the profile hides `currency`.',
  })
  totals!: OpportunityCurrencyTotal[]

  @OutputField(() => Decimal, {
    nullable: true,
    description:
      'Sum of all matching amounts in the stage in the base currency of the organization: in an open stage at the rates of today, in a closed one the sum of `baseAmount`. Amounts without an exchange rate are left out. Null if the profile hides a field that it needs.',
    example: 2_052_540,
  })
  baseAmount!: ExactNumber | null

  @OutputField(() => DateTime, {
    nullable: true,
    description:
      'Opportunities that entered the stage before this time are rotten: they have been in it for longer than its `rottenAfterDays`. Null if the stage has no such limit.',
    example: '2026-10-21T09:30:00.000Z',
  })
  rottenBefore!: string | null

  @Field(() => [Opportunity], {
    description: 'The first matching opportunities in the stage, in the order of `orderBy` or newest first.',
  })
  opportunities!: object[]

  @OutputField(() => String, {
    nullable: true,
    description:
      'Cursor of the next opportunities in the stage, for `after` of `opportunityConnection` or `cursor` of the list, with the same filter and order, the pipeline and the stage; null if there are no more.',
    example: null,
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'The opportunities of a pipeline by stage, as a deal board shows them.' })
@RequiresScope('OPPORTUNITIES')
export class OpportunityBoard {
  @NamesRecord('pipeline')
  @OutputField(() => String, { description: 'Id of the pipeline.', example: '019a0c5e-7f00-7f41-9c62-3b8d70e5a914' })
  pipelineId!: string

  @OutputField(() => String, { description: 'Name of the pipeline.', example: 'Sales' })
  pipelineName!: string

  @OutputField(() => String, { description: 'Base currency of the organization, as an ISO 4217 code.', example: 'USD' })
  baseCurrency!: string

  @Field(() => [OpportunityBoardColumn], {
    description: 'The stages in use in their order, and retired stages that have matching opportunities.',
  })
  columns!: OpportunityBoardColumn[]
}

export interface BoardArgs {
  readonly pipelineId?: string | null
  readonly perStage: number
  readonly filter?: FilterInput | null
  readonly orderBy?: readonly OrderInput[] | null
}

/** One statement reads the totals of all stages, and one the first opportunities of each. */
export async function opportunityBoard(
  ctx: RequestContext,
  { pipelineId = null, perStage, filter, orderBy = null }: BoardArgs,
  info: SelectionInfo,
): Promise<OpportunityBoard> {
  const first = pageSize(perStage, 'perStage')
  const pipeline = await findPipeline(ctx, pipelineId)
  if (!pipeline) throw notFound('The pipeline')
  const inPipeline = { pipelineId: { eq: pipeline.id } }
  // The own condition is the last one, so that refusals name the paths of the caller's filter.
  const list = { filter: { ...filter, and: [...((filter?.and as object[] | null | undefined) ?? []), inPipeline] } }
  const names = pipeline.stages.map(({ name }) => name)
  const [totals, groups] = await Promise.all([
    figuresBy(ctx, opportunity, ['stage', 'currency'], { ...currencyFigures, baseAmount: sum('baseAmount') }, list),
    readGroups(
      ctx,
      opportunity,
      'stage',
      names,
      { ...list, orderBy, first },
      selectedFields(info, ['columns', 'opportunities']),
    ),
  ])
  const rates = await ratesOf(
    ctx,
    totals.map(({ currency }) => currency),
  )
  const isHiddenSum = ['amount', 'currency', 'baseAmount'].some((name) => isHidden(ctx.caller, opportunity, name))
  const columns = pipeline.stages.map((stage, index) => {
    const own = totals.filter(({ stage: name }) => name === stage.name)
    const { nodes, pageInfo } = groups[index]!
    return {
      stage,
      count: own.reduce((sum, { count }) => sum + (count ?? 0), 0),
      totals: own as OpportunityCurrencyTotal[],
      baseAmount: isHiddenSum ? null : baseAmountIn(stage, own as ColumnTotal[], rates),
      rottenBefore: rottenBefore(ctx, stage),
      opportunities: [...nodes],
      nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
    }
  })
  const shown = columns.filter(({ stage, opportunities }) => stage.isActive || opportunities.length > 0)
  const { baseCurrency } = rates
  return { pipelineId: pipeline.id, pipelineName: pipeline.name, baseCurrency, columns: shown }
}

const rottenBefore = ({ clock }: RequestContext, { rottenAfterDays }: PipelineStage): string | null =>
  rottenAfterDays === null ? null : new Date(clock.now().getTime() - rottenAfterDays * dayMs).toISOString()

interface ColumnTotal {
  readonly currency: string
  readonly count: number
  readonly amount: ExactNumber
  readonly baseAmount: ExactNumber
}

/** Open amounts change with the rates; the amounts of closed opportunities have the rates of their close dates. */
const baseAmountIn = ({ kind }: PipelineStage, totals: readonly ColumnTotal[], rates: RatesOfDay): ExactNumber =>
  kind === 'OPEN'
    ? baseSumOf(
        rates,
        totals.map(({ currency, count, amount }) => ({ currency, count, sum: amount })),
      )
    : exactOf(sumOf(totals.map(({ baseAmount }) => decimalOf(baseAmount))))
