import { Float, ID, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DealScoreFactorKey } from './deal-score.types.ts'
import { factorKeys } from './factors.ts'
import { similarMax } from './similar-deals.ts'

export const DealOutcome = enumeration('DealOutcome', 'How a deal ended.', { WON: 'It was won.', LOST: 'It was lost.' })

@ObjectType({ description: 'Something that speaks for or against a deal, or that would help it.' })
@RequiresScope('SCORES')
export class DealFinding {
  @OutputField(() => DealScoreFactorKey, {
    description: 'The factor of the score from which it follows.',
    example: 'NEXT_STEP',
  })
  factor!: string

  @OutputField(() => String, {
    description: 'What it is, in one sentence.',
    example: 'There is no next step with a date.',
  })
  text!: string

  @OutputField(() => Float, {
    description:
      'Risks and actions: points that the score would gain with the value 1 of the factor; strengths: points in the score.',
    example: 10,
  })
  points!: number
}

@ObjectType({ description: 'A closed deal that is like another one.' })
@RequiresScope('SCORES')
export class SimilarDeal {
  @OutputField(() => ID, {
    description: 'Id of the closed opportunity.',
    example: '019a0c5e-7f00-7b71-9d24-5a0c8e63f1b9',
  })
  id!: string

  @OutputField(() => DealOutcome, { description: 'How it ended.', example: 'WON' })
  outcome!: string

  @OutputField(() => Float, {
    description:
      'Similarity by Gower, 0 to 1: the average over account, pipeline, type, source, owner, amount and number of contacts, as far as both deals have them and the caller may read them.',
    example: 0.8571,
  })
  similarity!: number
}

@ObjectType({ description: 'What is to be expected of a deal.' })
@RequiresScope('SCORES')
export class DealInsights {
  @NamesRecord('opportunity')
  @OutputField(() => ID, { description: 'Id of the opportunity.', example: '019a0c5e-7f00-7b22-a8d6-2f9c41e07c35' })
  dealId!: string

  @OutputField(() => DateTime, {
    description:
      'When the deal will probably be closed: today and the median of the days that won deals took from this stage on; below ten such deals, and for a closed deal, its close date.',
    example: '2027-03-24T00:00:00.000Z',
  })
  predictedCloseDate!: string

  @OutputField(() => Float, {
    nullable: true,
    description:
      'Chance in percent that the deal, if it is won, is won after its close date: the share of won deals that took longer from this stage on than this one has left, drawn towards 50 as if there were 20 more deals; 100 if the close date has passed, null for a closed deal.',
    example: 31.43,
  })
  slipRiskPercent!: number | null

  @OutputField(() => DealFinding, {
    list: true,
    maxItems: factorKeys.length,
    description: 'Factors with a value below 0.5, those that cost most first; empty for a closed deal.',
  })
  risks!: readonly DealFinding[]

  @OutputField(() => DealFinding, {
    list: true,
    maxItems: factorKeys.length,
    description: 'Factors with a value from 0.75, those that contribute most first; empty for a closed deal.',
  })
  strengths!: readonly DealFinding[]

  @OutputField(() => DealFinding, {
    list: true,
    maxItems: 3,
    description: 'What would help most, at least one point each; empty for a closed deal.',
  })
  nextBestActions!: readonly DealFinding[]

  @OutputField(() => SimilarDeal, {
    list: true,
    maxItems: similarMax,
    description: 'The most similar of the last 2,000 closed deals that the caller sees, the most similar first.',
  })
  similarDeals!: readonly SimilarDeal[]
}
