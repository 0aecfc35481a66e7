import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { filterOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { PeriodType } from './quota.enumerations.ts'
import { Quota } from './quota.ts'

/** Maximum number of quotas that one request sets. */
export const quotasMax = 500

@InputType({
  description:
    'A quota to set. One of `userId` and `teamId` is required. If the user or team has a quota for the period, it is changed: a field that is absent keeps its value.',
})
export class QuotaInput {
  @Field(() => ID, { nullable: true, description: 'Id of an active user of the organization.' })
  userId?: string | null

  @Field(() => ID, { nullable: true, description: 'Id of a team of the organization. For owners and admins.' })
  teamId?: string | null

  @Field(() => String, {
    description: 'The period: a month `2027-02`, a fiscal quarter `2027-Q1` or a fiscal year `2027`.',
  })
  period!: string

  @Field(() => PeriodType, {
    nullable: true,
    description: 'Length of the period; it must fit the text. Null: as the text says.',
  })
  periodType?: PeriodType | null

  @Field(() => Decimal, { description: 'Amount to win, 0 or more, with at most the decimals of the currency.' })
  target!: ExactNumber

  @Field(() => String, {
    nullable: true,
    description: 'ISO 4217 code in upper case. Null in a new quota: the base currency of the organization.',
  })
  currency?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'First day that counts, `YYYY-MM-DD`, in the period; null: the first day of the period.',
  })
  startDate?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Last day that counts, `YYYY-MM-DD`, in the period; null: the last day of the period.',
  })
  endDate?: string | null
}

@ObjectType({ description: 'The quotas that a request has set.' })
@RequiresScope('FORECASTS')
export class QuotaBulk {
  @Field(() => Int, { description: 'How many quotas are new.' })
  created!: number

  @Field(() => Int, { description: 'How many quotas existed before.' })
  updated!: number

  @Field(() => [Quota], { description: 'The quotas in the order of the request.' })
  quotas!: Quota[]
}

@ObjectType({ description: 'What was copied from the period before.' })
@RequiresScope('FORECASTS')
export class QuotaCopy {
  @Field(() => Int, { description: 'How many quotas were created.' })
  created!: number

  @Field(() => Int, {
    description:
      'How many quotas of the period before were not copied, because one exists or the user is no longer active.',
  })
  skipped!: number

  @Field(() => Int, {
    description: `How many are left, because one call creates at most ${quotasMax}; the next call continues.`,
  })
  remaining!: number
}

export const QuotaFilter = filterOf('QuotaFilter', Quota)
export const QuotaOrder = orderOf('QuotaOrder', Quota)
export const QuotaPage = pageRequiring('QuotaPage', Quota, 'READ_FORECASTS')
export const QuotaPageArgs = pageArgs(QuotaFilter, QuotaOrder)
export type QuotaPageArgs = InstanceType<typeof QuotaPageArgs>

@ArgsType()
export class PeriodArgs {
  @Field(() => String, { nullable: true, description: 'The period; null: the one of today.' })
  period?: string | null

  @Field(() => PeriodType, {
    nullable: true,
    description: 'Length of the period; it must fit the text. Null: as the text says.',
  })
  periodType?: PeriodType | null
}

@ArgsType()
export class AttainmentArgs extends PeriodArgs {
  @Field(() => ID, { nullable: true, description: 'Only quotas of this user; null: all that the caller sees.' })
  userId?: string | null

  @Field(() => Int, { defaultValue: 1, description: 'Number of the page, from 1. Ignored when `cursor` is given.' })
  page!: number

  @Field(() => Int, { defaultValue: 20, description: 'Quotas per page, 1 to 100.' })
  limit!: number

  @Field(() => String, { nullable: true, description: '`nextCursor` of the previous page; replaces `page`.' })
  cursor?: string | null
}
