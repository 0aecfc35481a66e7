import { ArgsType, Field, Float, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { habitInvoices } from '../invoice/payment-habit.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'

export const AgingBucketKey = enumeration('AgingBucketKey', 'The age of an open amount since its due day.', {
  CURRENT: 'It is not overdue.',
  DAYS_1_30: '1 to 30 days overdue.',
  DAYS_31_60: '31 to 60 days overdue.',
  DAYS_61_90: '61 to 90 days overdue.',
  DAYS_OVER_90: 'More than 90 days overdue.',
})
export type AgingBucketKey = keyof typeof AgingBucketKey

/** The days of each bucket, in their order; null: no bound. */
export const bucketDays: readonly {
  readonly key: AgingBucketKey
  readonly min: number | null
  readonly max: number | null
}[] = [
  { key: 'CURRENT', min: null, max: 0 },
  { key: 'DAYS_1_30', min: 1, max: 30 },
  { key: 'DAYS_31_60', min: 31, max: 60 },
  { key: 'DAYS_61_90', min: 61, max: 90 },
  { key: 'DAYS_OVER_90', min: 91, max: null },
]

/** Customers that the report lists. */
export const customersMax = 100
/** Days over whose sales the days sales outstanding and the collection effectiveness are computed. */
export const periodDays = 90

@ArgsType()
export class InvoiceAgingArgs {
  @Field(() => DateTime, {
    nullable: true,
    description:
      'Day whose end the report shows, also in the past; a time of day is cut off. Null: today in the time zone of the organization.',
  })
  asOf?: string | null

  @Field(() => ID, { nullable: true, description: 'Only the invoices of this customer; null: of all customers.' })
  customerId?: string | null
}

const hidden = 'null for a caller whose profile hides a field of credit notes that it needs'
const unappliedCredit = {
  nullable: true,
  description: `What was left at the end of the day of the credit notes that were issued by then: not applied to invoices and not refunded; ${hidden}.`,
}
const balance = {
  nullable: true,
  description: `\`total\` less \`unappliedCredit\`: below 0 if the credit is larger; ${hidden}.`,
}

@ObjectType({ description: 'The open amounts of one range of ages.' })
@RequiresScope('INVOICES')
export class AgingBucket {
  @Field(() => AgingBucketKey, { description: 'The range.' })
  key!: AgingBucketKey

  @Field(() => Int, { nullable: true, description: 'Days overdue at least; null for CURRENT.' })
  minDays!: number | null

  @Field(() => Int, { nullable: true, description: 'Days overdue at most; null for DAYS_OVER_90.' })
  maxDays!: number | null

  @Field(() => Int, { description: 'Number of invoices.' })
  count!: number

  @Field(() => Decimal, { description: 'Sum of the open amounts.' })
  amount!: ExactNumber

  @Field(() => Float, { description: 'Share of the total in percent, with two decimals; 0 without a total.' })
  percent!: number
}

@ObjectType({ description: 'The open amounts in one currency.' })
@RequiresScope('INVOICES')
export class AgingCurrency {
  @Field(() => String, { description: 'ISO 4217 code of the currency.' })
  currency!: string

  @Field(() => [AgingBucket], { description: 'The ranges in their order.' })
  buckets!: AgingBucket[]

  @Field(() => Decimal, { description: 'Sum of all ranges.' })
  total!: ExactNumber

  @Field(() => Decimal, unappliedCredit)
  unappliedCredit!: ExactNumber | null

  @Field(() => Decimal, balance)
  balance!: ExactNumber | null
}

@ObjectType({ description: 'The open amounts of one customer, in the base currency.' })
@RequiresScope('INVOICES')
export class AgingCustomer {
  @NamesRecord('account')
  @Field(() => ID, { nullable: true, description: 'Id of the account; null for invoices without a customer.' })
  customerId!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Name of the account; null if the caller does not see it.',
  })
  name!: string | null

  @Field(() => Decimal, { description: 'Not overdue.' })
  current!: ExactNumber

  @Field(() => Decimal, { description: '1 to 30 days overdue.' })
  days1To30!: ExactNumber

  @Field(() => Decimal, { description: '31 to 60 days overdue.' })
  days31To60!: ExactNumber

  @Field(() => Decimal, { description: '61 to 90 days overdue.' })
  days61To90!: ExactNumber

  @Field(() => Decimal, { description: 'More than 90 days overdue.' })
  daysOver90!: ExactNumber

  @Field(() => Decimal, { description: 'Sum of all.' })
  total!: ExactNumber

  @Field(() => Decimal, unappliedCredit)
  unappliedCredit!: ExactNumber | null

  @Field(() => Decimal, balance)
  balance!: ExactNumber | null

  @NamesRecord('invoice')
  @Field(() => ID, { description: 'Id of the invoice with the earliest due day.' })
  oldestInvoiceId!: string

  @Field(() => Int, {
    nullable: true,
    description: `Median of the days by which the customer paid the last ${habitInvoices} invoices after the due day, below 0 if before: an open invoice will likely be paid so many days after its due day. Null if none was paid.`,
  })
  medianDaysLate!: number | null
}

@ObjectType({ description: 'What customers owed at the end of a day, by the days since the due day.' })
@RequiresScope('INVOICES')
export class InvoiceAging {
  @Field(() => DateTime, { description: 'The day, as midnight UTC.' })
  asOf!: string

  @Field(() => String, {
    description:
      'Base currency of the organization as ISO 4217 code, the currency of all amounts outside `byCurrency`: converted at the rates of `asOf`. Invoices and credit notes in a currency without a rate are only in `byCurrency`.',
  })
  currency!: string

  @Field(() => [AgingBucket], { description: 'The ranges of ages in their order.' })
  buckets!: AgingBucket[]

  @Field(() => Decimal, { description: 'Sum of all ranges.' })
  total!: ExactNumber

  @Field(() => Decimal, unappliedCredit)
  unappliedCredit!: ExactNumber | null

  @Field(() => Decimal, balance)
  balance!: ExactNumber | null

  @Field(() => [AgingCustomer], {
    description: `The customers with open invoices that have the largest totals, at most ${customersMax}; empty for a caller whose profile hides \`customerId\`.`,
  })
  byCustomer!: AgingCustomer[]

  @Field(() => [AgingCurrency], {
    description: 'The same by the currency of the invoices and credit notes, not converted.',
  })
  byCurrency!: AgingCurrency[]

  @Field(() => Float, {
    nullable: true,
    description: `Days sales outstanding: \`total\` divided by the invoiced sales of the ${periodDays} days until \`asOf\`, times ${periodDays}; null without sales.`,
  })
  dso!: number | null

  @Field(() => Float, {
    description:
      'Average days overdue of the open amounts, weighted by amount; an amount that is not overdue counts 0 days.',
  })
  weightedAverageDaysOverdue!: number

  @Field(() => Float, {
    nullable: true,
    description: `Collection effectiveness index of the ${periodDays} days until \`asOf\` in percent: (opening receivables + sales - closing receivables) ÷ (opening receivables + sales - closing receivables that are not overdue) × 100; null without a divisor.`,
  })
  cei!: number | null
}
