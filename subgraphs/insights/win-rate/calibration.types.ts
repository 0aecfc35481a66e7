import { Float, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

export const WinModel = enumeration('WinModel', 'How the probability of winning a deal is computed.', {
  STAGE_HISTORY: 'The shrunk win rate of the stage.',
  NAIVE_BAYES: 'From how often won and lost deals had the facts of the deal.',
})
export const WinModelReason = enumeration('WinModelReason', 'Why a model is used.', {
  TOO_FEW_CASES: 'Fewer than 100 closed deals: no model was tested.',
  TOO_FEW_FOR_NAIVE_BAYES: 'Fewer than 400 closed deals, or fewer than 50 won or lost ones.',
  NAIVE_BAYES_NOT_BETTER: 'The Brier score of naive Bayes is not lower by more than one standard error.',
  NAIVE_BAYES_BETTER: 'The Brier score of naive Bayes is lower by more than one standard error.',
})

@ObjectType({ description: 'Predictions between two probabilities, and what came of them.' })
@RequiresScope('SCORES')
export class ReliabilityBin {
  @OutputField(() => Float, { description: 'Lower end, included.', example: 0.3 })
  from!: number

  @OutputField(() => Float, { description: 'Upper end, included in the last bin only.', example: 0.4 })
  to!: number

  @OutputField(() => Int, {
    description: 'Number of predictions: one for each later deal and open stage of it.',
    example: 41,
  })
  predictions!: number

  @OutputField(() => Float, {
    nullable: true,
    description: 'Mean of the predicted probabilities; null without predictions.',
    example: 0.347,
  })
  meanPredicted!: number | null

  @OutputField(() => Float, {
    nullable: true,
    description: 'Share of the predictions whose deal was won; null without predictions.',
    example: 0.3659,
  })
  shareWon!: number | null
}

@ObjectType({ description: 'How well a model has predicted the later deals.' })
@RequiresScope('SCORES')
export class TestedWinModel {
  @OutputField(() => WinModel, { description: 'Which one it is.', example: 'STAGE_HISTORY' })
  model!: string

  @OutputField(() => Float, {
    description:
      'Brier score: mean squared error of the probabilities, each deal counting once. 0 is perfect; 0.25 is that of 0.5 for every deal.',
    example: 0.1814,
  })
  brierScore!: number

  @OutputField(() => ReliabilityBin, { list: true, maxItems: 10, description: 'Ten bins of equal width, from 0 to 1.' })
  bins!: ReliabilityBin[]
}

@ObjectType({ description: 'The result of an earlier month.' })
@RequiresScope('SCORES')
export class EarlierCalibration {
  @OutputField(() => DateTime, { description: 'When it was computed.', example: '2027-01-01T02:50:00.000Z' })
  computedAt!: string

  @OutputField(() => WinModel, { description: 'The model that was used.', example: 'STAGE_HISTORY' })
  model!: string

  @OutputField(() => Int, { description: 'Later deals by which it was tested; 0 if it was not.', example: 132 })
  testedDeals!: number

  @OutputField(() => Float, {
    nullable: true,
    description: 'Brier score of that model; null if it was not tested.',
    example: 0.1862,
  })
  brierScore!: number | null
}

@ObjectType({
  description:
    'How well the win probabilities of the organization hold: models that are learned from the earlier closed deals of the last 18 months, tested by the later ones.',
})
@RequiresScope('SCORES')
export class DealCalibration {
  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When it was computed; null if it was not yet.',
    example: '2027-02-01T02:50:00.000Z',
  })
  computedAt!: string | null

  @OutputField(() => WinModel, { description: 'The model that is used.', example: 'STAGE_HISTORY' })
  model!: string

  @OutputField(() => WinModelReason, { description: 'Why it is used.', example: 'NAIVE_BAYES_NOT_BETTER' })
  reason!: string

  @OutputField(() => Int, {
    description: 'Closed deals of the last 18 months that were once in an open stage.',
    example: 412,
  })
  closedDeals!: number

  @OutputField(() => Int, { description: 'Those of them that were won.', example: 168 })
  wonDeals!: number

  @OutputField(() => Int, { description: 'The earlier deals, from which the models were learned.', example: 275 })
  trainingDeals!: number

  @OutputField(() => Int, {
    description: 'The later deals, by which the models were tested; 0 below 100 closed deals.',
    example: 137,
  })
  testedDeals!: number

  @OutputField(() => TestedWinModel, {
    list: true,
    maxItems: 2,
    description: 'The models that were tested; none below 100 closed deals.',
  })
  models!: TestedWinModel[]

  @OutputField(() => Float, {
    nullable: true,
    description: 'Brier score of naive Bayes minus that of the win rate; null unless both were tested.',
    example: -0.0021,
  })
  difference!: number | null

  @OutputField(() => Float, {
    nullable: true,
    description: 'Standard error of the difference; null unless both were tested.',
    example: 0.0043,
  })
  standardError!: number | null

  @OutputField(() => EarlierCalibration, {
    list: true,
    maxItems: 12,
    description: 'Up to 12 earlier months, the latest first.',
  })
  history!: EarlierCalibration[]
}
