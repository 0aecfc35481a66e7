import { Field, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { PeriodType } from './quota.enumerations.ts'

const hidden = 'Null if the profile hides a field of deals, or of the quota, that it needs.'

@ObjectType({
  description:
    'What was won for a quota and what is expected, in the currency of the quota, from the deals that the caller sees. Deals without an exchange rate are left out.',
})
@RequiresScope('FORECASTS')
export class QuotaAttainment {
  @NamesRecord('quota')
  @Field(() => ID, { description: 'Id of the quota.' })
  quotaId!: string

  @NamesRecord('user')
  @Field(() => ID, { nullable: true, description: 'Id of the user; null if it is the quota of a team.' })
  userId!: string | null

  @Field(() => ID, { nullable: true, description: 'Id of the team; null if it is the quota of a user.' })
  teamId!: string | null

  @Field(() => String, { description: 'The month, fiscal quarter or fiscal year, such as 2027-Q1.' })
  period!: string

  @Field(() => PeriodType, { description: 'Length of the period.' })
  periodType!: PeriodType

  @Field(() => String, { description: 'Currency of the amounts, as an ISO 4217 code.' })
  currency!: string

  @Field(() => Decimal, { description: 'Amount to win.' })
  target!: ExactNumber

  @Field(() => Decimal, {
    nullable: true,
    description: `Sum of the deals that were won in the time of the quota (\`closedAt\`), at the rates of their close dates. ${hidden}`,
  })
  closedWon!: ExactNumber | null

  @Field(() => Decimal, {
    nullable: true,
    description: `\`closedWon\` in percent of the target, with two decimals; null if the target is 0. ${hidden}`,
  })
  attainmentPercent!: ExactNumber | null

  @Field(() => Decimal, {
    nullable: true,
    description: `\`target\` less \`closedWon\`; negative if more was won. ${hidden}`,
  })
  gap!: ExactNumber | null

  @Field(() => Decimal, {
    nullable: true,
    description: `Sum of the open deals that close in the time of the quota, at the rates of today, without those whose category is OMITTED. ${hidden}`,
  })
  openPipeline!: ExactNumber | null

  @Field(() => Decimal, {
    nullable: true,
    description: `Like \`openPipeline\`, each amount times the probability of its deal. ${hidden}`,
  })
  weightedPipeline!: ExactNumber | null

  @Field(() => Decimal, {
    nullable: true,
    description: `The part of \`openPipeline\` with the category COMMIT. ${hidden}`,
  })
  commit!: ExactNumber | null

  @Field(() => Decimal, {
    nullable: true,
    description: `The part of \`openPipeline\` with the category BEST_CASE. ${hidden}`,
  })
  bestCase!: ExactNumber | null

  @Field(() => Decimal, {
    nullable: true,
    description: `\`openPipeline\` divided by \`gap\`, with two decimals; null if the target is reached. ${hidden}`,
  })
  coverage!: ExactNumber | null

  @Field(() => Decimal, {
    description:
      'Target times the share of the business days before today: days with working hours that are no holidays, Monday to Friday if the organization has set none.',
  })
  expectedToDate!: ExactNumber

  @Field(() => Decimal, { nullable: true, description: `\`closedWon\` less \`expectedToDate\`. ${hidden}` })
  paceVariance!: ExactNumber | null

  @Field(() => Decimal, { nullable: true, description: `\`closedWon\` and \`weightedPipeline\` together. ${hidden}` })
  projected!: ExactNumber | null

  @Field(() => Int, {
    nullable: true,
    description: `Number of deals that are left out, because their currency or that of the quota has no exchange rate. ${hidden}`,
  })
  unconverted!: number | null

  @Field(() => Boolean, {
    description: 'True if the quota is also about deals of users whose deals the caller does not see.',
  })
  isPartial!: boolean
}

export const QuotaAttainmentPage = pageRequiring('QuotaAttainmentPage', QuotaAttainment, 'READ_FORECASTS')

@ObjectType({ description: 'The quotas of a period together, in the base currency of the organization.' })
@RequiresScope('FORECASTS')
export class OrganizationTarget {
  @Field(() => String, { description: 'The month, fiscal quarter or fiscal year, such as 2027-Q1.' })
  period!: string

  @Field(() => PeriodType, { description: 'Length of the period.' })
  periodType!: PeriodType

  @Field(() => String, { description: 'The base currency of the organization, as an ISO 4217 code.' })
  currency!: string

  @Field(() => Decimal, { description: '`userTarget` and `teamTarget` together.' })
  target!: ExactNumber

  @Field(() => Decimal, { description: 'Sum of the quotas of users, at the rates of today.' })
  userTarget!: ExactNumber

  @Field(() => Decimal, {
    description: 'Sum of the quotas of teams without a member who has a quota for the period, at the rates of today.',
  })
  teamTarget!: ExactNumber

  @Field(() => Int, { description: 'Number of quotas in the sums.' })
  quotas!: number

  @Field(() => Decimal, {
    nullable: true,
    description: `Sum of all deals that were won in the period and that the caller sees, at the rates of their close dates. ${hidden}`,
  })
  closedWon!: ExactNumber | null

  @Field(() => Decimal, {
    nullable: true,
    description: `\`closedWon\` in percent of the target, with two decimals; null if the target is 0. ${hidden}`,
  })
  attainmentPercent!: ExactNumber | null

  @Field(() => Int, {
    nullable: true,
    description: `Number of quotas and deals that are left out, because their currency has no exchange rate. ${hidden}`,
  })
  unconverted!: number | null

  @Field(() => Boolean, {
    description: 'True if the caller has not the visibility ALL, so that quotas and deals may be missing.',
  })
  isPartial!: boolean
}
