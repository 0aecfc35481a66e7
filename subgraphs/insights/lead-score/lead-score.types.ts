import { Field, Float, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

export const LeadScoreFactor = enumeration('LeadScoreFactor', 'What a part of the score of a lead is computed from.', {
  INDUSTRY: 'The industry of the company.',
  SIZE: 'The size of the company: up to 10, 50, 200, 1,000 employees or more.',
  SENIORITY: 'The seniority of the job title: executive, director, manager or other.',
  COUNTRY: 'The country of the company.',
  SOURCE: 'How the organization first met the person.',
  ENGAGEMENT: 'The engagement of the lead, as `engagement.score`.',
})

@ObjectType({ description: 'What one factor contributes to the score of a lead.' })
export class LeadScoreContribution {
  @Field(() => LeadScoreFactor, { simple: true, description: 'What the points are for.' })
  factor!: string

  @Field(() => Float, { simple: true, description: 'Its share of the score, 0 to 1; the weights add up to 1.' })
  weight!: number

  @Field(() => Float, {
    simple: true,
    description:
      'Its value, 0 to 100. For a fact: how often closed leads with the same value were converted, compared with all; 50 for an average or unknown value.',
  })
  value!: number

  @Field(() => Float, {
    simple: true,
    description: 'Its points in the score; the contributions of all factors add up to the score.',
  })
  contribution!: number
}

@ObjectType({
  description:
    'How likely a lead becomes a customer: half of it is fit, half is engagement. A factor that the profile of the caller hides is left out. `leadScore` of the record belongs to clients and is never changed by it.',
})
export class LeadComputedScore {
  @Field(() => Float, { simple: true, description: 'Score, 0 to 100.' })
  score!: number

  @Field(() => String, {
    simple: true,
    description:
      'Letter of the fit and number of the engagement, for example B2: A or 1 from 75, B or 2 from 50, C or 3 from 25, otherwise D or 4. A part that is hidden is missing.',
  })
  grade!: string

  @Field(() => Float, {
    nullable: true,
    simple: true,
    description:
      'How well the facts of the lead match those of converted leads, 0 to 100; null if all of them are hidden.',
  })
  fit!: number | null

  @Field(() => Float, {
    nullable: true,
    simple: true,
    description: 'Score of the engagement of the lead, 0 to 100; null if its activities are hidden.',
  })
  engagement!: number | null

  @Field(() => [LeadScoreContribution], { simple: true, description: 'What the factors contribute.' })
  factors!: readonly LeadScoreContribution[]

  @Field(() => Int, {
    simple: true,
    description: 'Number of closed leads of the organization from which the values of the facts are known.',
  })
  sampleSize!: number

  @Field(() => String, {
    simple: true,
    description: 'Version of the weights, and the day on which the closed leads were counted.',
  })
  modelVersion!: string

  @Field(() => DateTime, { simple: true, description: 'When it was computed: the time of the request.' })
  computedAt!: string
}
