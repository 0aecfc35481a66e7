import { Float, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { DealBand } from './deal-score.types.ts'

const count = { description: 'Number of deals.', example: 12 }
const averageScore = {
  nullable: true,
  description: 'Average score, with two decimals; null without scored deals.',
  example: 63.4,
}
const amount = {
  nullable: true,
  description:
    'Sum of their amounts in `currency`, at the rates of today; deals without a rate are left out and counted in `unconverted`. Null if the profile hides amounts.',
  example: 418000,
}

@ObjectType({ description: 'The deals of a band.' })
@RequiresScope('SCORES')
export class DealBandFigures {
  @OutputField(() => DealBand, { description: 'How healthy these deals are.', example: 'WATCH' })
  band!: string

  @OutputField(() => Int, count)
  count!: number

  @OutputField(() => Decimal, amount)
  amount!: ExactNumber | null
}

@ObjectType({ description: 'A bar of the histogram of the scores of deals.' })
@RequiresScope('SCORES')
export class DealScoreBar {
  @OutputField(() => Int, { description: 'Least score of the bar.', example: 60 })
  from!: number

  @OutputField(() => Int, { description: 'Scores of the bar are below it; the last bar contains 100.', example: 70 })
  to!: number

  @OutputField(() => Int, count)
  count!: number
}

@ObjectType({ description: 'The deals of a stage.' })
@RequiresScope('SCORES')
export class DealStageFigures {
  @NamesRecord('pipeline')
  @OutputField(() => ID, { description: 'Id of the pipeline.', example: '019a0c5e-7f00-7f41-9c62-3b8d70e5a914' })
  pipelineId!: string

  @OutputField(() => String, { description: 'API name of the stage.', example: 'PROPOSAL' })
  stage!: string

  @OutputField(() => Int, count)
  count!: number

  @OutputField(() => Float, averageScore)
  averageScore!: number | null

  @OutputField(() => Decimal, amount)
  amount!: ExactNumber | null
}

@ObjectType({ description: 'The deals of an owner.' })
@RequiresScope('SCORES')
export class DealOwnerFigures {
  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the owner; null for deals without one.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  })
  ownerId!: string | null

  @OutputField(() => Int, count)
  count!: number

  @OutputField(() => Float, averageScore)
  averageScore!: number | null

  @OutputField(() => Decimal, amount)
  amount!: ExactNumber | null
}

export const groupsMax = 500

@ObjectType({ description: 'How the scores of the open deals that the caller sees are distributed.' })
@RequiresScope('SCORES')
export class DealScoreDistribution {
  @OutputField(() => Int, { description: 'Number of open deals.', example: 42 })
  total!: number

  @OutputField(() => Int, {
    description:
      'Number of deals that have no score yet, because many were created within the last minute; they are in `total`, `byStage` and `byOwner` only.',
    example: 0,
  })
  unscored!: number

  @OutputField(() => Float, averageScore)
  averageScore!: number | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Base currency of the organization, in which amounts are; null if the profile hides amounts.',
    example: 'EUR',
  })
  currency!: string | null

  @OutputField(() => Int, {
    nullable: true,
    description:
      'Number of deals that are not part of amounts, because their currency has no exchange rate; null if the profile hides amounts.',
    example: 0,
  })
  unconverted!: number | null

  @OutputField(() => DealBandFigures, {
    list: true,
    minItems: 4,
    maxItems: 4,
    description: 'Every band, the best first.',
  })
  bands!: readonly DealBandFigures[]

  @OutputField(() => DealScoreBar, { list: true, minItems: 10, maxItems: 10, description: 'Ten bars of ten points.' })
  histogram!: readonly DealScoreBar[]

  @OutputField(() => DealStageFigures, {
    list: true,
    maxItems: groupsMax,
    description: 'Stages with open deals, those with the most deals first.',
  })
  byStage!: readonly DealStageFigures[]

  @OutputField(() => DealOwnerFigures, {
    list: true,
    maxItems: groupsMax,
    nullable: true,
    description: 'Owners of open deals, those with the most deals first; null if the profile hides owners.',
  })
  byOwner!: readonly DealOwnerFigures[] | null
}
