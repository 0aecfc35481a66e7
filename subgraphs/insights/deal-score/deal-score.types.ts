import { Float, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { factorKeys } from './factors.ts'

export const DealScoreFactorKey = enumeration(
  'DealScoreFactorKey',
  'What a part of the health of a deal is computed from.',
  {
    RECENCY:
      'Time since the last contact in which the customer took part; the value halves every ten days. Evidence: activities.',
    MOMENTUM:
      'Activity of the last 14 days compared with the 14 days before; 0.5 without a change. Evidence: activities.',
    STAGE_PACE:
      'Days in the stage compared with those of won deals; below five won deals, with the limit of the pipeline.',
    MULTI_THREADING:
      'Contacts that were active within 30 days, of three, and whether a decision maker is known. Evidence: contacts.',
    CLOSE_DATE:
      'How often the close date was pushed, and the days left compared with those of won deals; 0 once it has passed.',
    NEXT_STEP: '1 with a planned meeting or a due task ahead, 0.5 with a text only. Evidence: activities and tasks.',
    QUALIFICATION: 'Share of the required fields that are filled; 1 without required fields.',
    REPLY_RATIO: 'Replies for each message sent within 30 days; 0 if none was sent. Evidence: activities.',
  },
)

export const DealBand = enumeration('DealBand', 'How healthy a deal is.', {
  HEALTHY: 'Score from 75.',
  WATCH: 'Score from 55 to below 75.',
  AT_RISK: 'Score from 35 to below 55.',
  CRITICAL: 'Score below 35.',
})

export const WinRateLevel = enumeration('WinRateLevel', 'Whose closed deals a win rate is based on.', {
  OWNER: 'Those of the owner of the deal, who has closed at least 20.',
  TEAM: 'Those of the teams of the owner, who have closed at least 20.',
  ORGANIZATION: 'Those of the whole organization.',
})

export const WinProbabilitySource = enumeration('WinProbabilitySource', 'Where a win probability comes from.', {
  STAGE_HISTORY:
    'Closed deals that were in the stage, drawn towards the probability of the stage as if there were 20 more of them.',
  NAIVE_BAYES:
    'How often won and lost deals had the facts of the deal that the caller may know: stage, owner, type, source and size. Used where the monthly test finds it better; the interval, sample size and level are those of as many cases as the win rate of the stage has.',
  STAGE_DEFAULT:
    'The probability of the stage, because no deal that was in the stage has been closed, or because the deal itself is closed.',
})

const dealId = '019a0c5e-7f00-7b22-a8d6-2f9c41e07c35'

@ObjectType({ description: 'What one factor contributes to the score of a deal.' })
export class DealScoreFactor {
  @OutputField(() => DealScoreFactorKey, { description: 'The factor.', example: 'RECENCY' })
  key!: string

  @OutputField(() => String, {
    description: 'Name of the factor for people.',
    example: 'Last contact in both directions',
  })
  label!: string

  @OutputField(() => Float, {
    description: 'Share of the score, 0 to 1; the weights of all factors add up to 1.',
    example: 0.2,
  })
  weight!: number

  @OutputField(() => Float, { description: 'Value, 0 to 1.', example: 0.8123 })
  value!: number

  @OutputField(() => Float, {
    description: 'Points in the score; the contributions of all factors add up to the score exactly.',
    example: 16.25,
  })
  contribution!: number

  @OutputField(() => Float, { description: 'Points that the deal would gain with the value 1.', example: 3.75 })
  gainIfFixed!: number

  @OutputField(() => ID, {
    list: true,
    maxItems: 5,
    description:
      'Ids of records that the caller sees and that the value is made of, the newest first; empty for factors without evidence, and for credentials that may not read such records. The value may be made of more than these.',
    example: ['019a0c5e-7f00-7e02-8b5d-91c3a6f0d274'],
  })
  evidence!: readonly string[]
}

@ObjectType({ description: 'The score of a deal on a day.' })
export class DealScoreDay {
  @OutputField(() => String, {
    description: 'The day in the time zone of the organization, as `YYYY-MM-DD`.',
    example: '2026-11-02',
  })
  date!: string

  @OutputField(() => Float, { description: 'The first score of the day; today the present one.', example: 69.4 })
  score!: number
}

@ObjectType({
  description:
    'How healthy a deal is and how likely it is won: two different things. The health is computed hourly and after changes, from all activities of the deal. A factor from a field that the profile of the caller hides is left out, and the weights of the others are scaled up. `healthScore` of the record belongs to clients and is never changed by it.',
})
export class DealScore {
  @NamesRecord('opportunity')
  @OutputField(() => ID, { description: 'Id of the opportunity.', example: dealId })
  dealId!: string

  @OutputField(() => Float, {
    nullable: true,
    description: 'Health, 0 (worst) to 100 (best), with two decimals; null for a closed deal.',
    example: 71.25,
  })
  score!: number | null

  @OutputField(() => DealBand, {
    nullable: true,
    description: 'The band of the score; null for a closed deal.',
    example: 'WATCH',
  })
  band!: string | null

  @OutputField(() => Float, {
    description: 'Probability that the deal is won, 0 to 1; 1 or 0 for a closed deal.',
    example: 0.3714,
  })
  winProbability!: number

  @OutputField(() => Float, {
    list: true,
    minItems: 2,
    maxItems: 2,
    description: 'The lower and the upper bound of the 95 % interval (Wilson) of the win probability.',
    example: [0.2831, 0.4692],
  })
  winProbabilityInterval!: readonly number[]

  @OutputField(() => Int, { description: 'Number of closed deals that the win probability is based on.', example: 80 })
  sampleSize!: number

  @OutputField(() => WinRateLevel, { description: 'Whose closed deals these are.', example: 'ORGANIZATION' })
  level!: string

  @OutputField(() => WinProbabilitySource, {
    description: 'Where the win probability comes from.',
    example: 'STAGE_HISTORY',
  })
  winProbabilitySource!: string

  @OutputField(() => DealScoreFactor, {
    list: true,
    maxItems: factorKeys.length,
    description: 'What the score is made of; empty for a closed deal.',
  })
  factors!: readonly DealScoreFactor[]

  @OutputField(() => DealScoreDay, {
    list: true,
    maxItems: 91,
    description:
      'The scores of the last 90 days and of today, the oldest first. Days before the deal was scored are absent.',
  })
  trend!: readonly DealScoreDay[]

  @OutputField(() => String, {
    description: 'Version of the weights, and the day on which the closed deals of the organization were counted.',
    example: 'deal-5b1f0c9a-2026-11-02',
  })
  modelVersion!: string

  @OutputField(() => DateTime, {
    description: 'When the health was computed; for a closed deal the time of the request.',
    example: '2026-11-02T09:07:00.000Z',
  })
  computedAt!: string
}
