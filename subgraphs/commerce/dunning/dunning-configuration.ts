import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'

export const DunningTone = enumeration('DunningTone', 'The tone of a reminder.', {
  FRIENDLY: 'The customer may have forgotten.',
  FIRM: 'The customer is asked to pay now.',
  URGENT: 'The customer is asked to pay at once.',
  FINAL: 'The last reminder before further steps.',
})
export type DunningTone = keyof typeof DunningTone

export const DunningChannel = enumeration('DunningChannel', 'How a reminder is sent.', { EMAIL: 'By email.' })
export type DunningChannel = keyof typeof DunningChannel

export const DunningFeeType = enumeration('DunningFeeType', 'How the fee of a reminder is given.', {
  NONE: 'There is no fee.',
  FIXED: '`value` is an amount in the currency of the invoice.',
  PERCENT: '`value` is a percentage of the amount that is due.',
})
export type DunningFeeType = keyof typeof DunningFeeType

export const SkippedReason = enumeration('ReminderSkippedReason', 'Why a reminder was not sent.', {
  NO_EMAIL: 'The invoice was not mailed, and its contact has no email address.',
  SUPPRESSED:
    'The address must not get mails: it bounced, its holder reported a mail as spam, or a user put it on the suppression list.',
})
export type SkippedReason = keyof typeof SkippedReason

export const stepsMax = 10
export const excludedMax = 500
export const daysMax = 3650

const texts = {
  enabled:
    'Whether reminders are sent automatically. Default: false. A reminder by `invoiceRemind` is sent in any case.',
  gracePeriodDays: `Days after the due day without an automatic reminder, 0 to ${daysMax}. Default: 3.`,
  minimumAmount:
    'Smallest amount due for which automatic reminders are sent, in the base currency of the organization; converted at the rate of the day. Default: 0.',
  sendTime: 'Local time from which the reminders of a day are sent, as HH:MM. Default: 09:00.',
  timezone: 'IANA name of the time zone of `sendTime` and of the days; null: that of the organization. Default: null.',
  skipWeekends: 'Whether nothing is sent on Saturdays and Sundays. Default: true.',
  stopOnPartialPayment: 'Whether automatic reminders stop when a part of the invoice is paid. Default: false.',
  pauseWhileDisputed: 'Whether no reminder is sent while the invoice is disputed. Default: true.',
  excludeAccountIds: `Ids of the customers to whom no reminder is sent, at most ${excludedMax}. Default: none.`,
  steps: `The levels in their order, 1 to ${stepsMax}. By default four: after 3, 10, 21 and 45 days. A change replaces all of them.`,
  interestRatePercent:
    'Interest on the amount that is due in percent a year, 0 to 100, which reminders claim in addition, as `dunningInterest` of the invoice. Default: 0.',
  markUncollectibleAfterDays: `Days after the due day after which the run marks an open invoice as UNCOLLECTIBLE instead of reminding, 1 to ${daysMax}; null: never. Default: 120.`,
  level: 'Number of the level: 1 for the first, then each one more.',
  daysOverdue: `Days after the due day from which the level applies, 0 to ${daysMax}, more for each level.`,
  templateId:
    'Id of the ACTIVE email template with the text; null: the built-in text of the tone. The template has the values of `contact`, `account` and `organization`, and of `invoice`: `invoiceNumber`, `issueDate`, `dueDate`, `daysOverdue`, `total`, `amountDue`, `fees`, `interest`, `totalDue`, `currency`, `purchaseOrderNumber`, `publicUrl` and `level`. Of `contact` and `account`, automatic reminders have the names only; one that a user sends has what the owner of the invoice sees, if the user sees no less. If the template is not ACTIVE any more, or lacks a value that it needs, the built-in text is sent.',
  createTask: 'Whether a task is created for the user of `escalateToUserId`, otherwise for the owner. Default: false.',
  notifyOwner: 'Whether the owner of the invoice gets a mail. Default: false.',
  escalateToUserId: 'Id of the user who also gets that mail, and the task; null: nobody. Default: null.',
}

@ObjectType({ description: 'The fee of a reminder.' })
@RequiresScope('INVOICES')
export class DunningFee {
  @Field(() => DunningFeeType, { description: 'How the fee is given.' })
  type!: DunningFeeType

  @Field(() => Decimal, { description: 'The amount or the percentage; 0 for NONE.' })
  value!: ExactNumber
}

@ObjectType({ description: 'One level of reminders.' })
@RequiresScope('INVOICES')
export class DunningStep {
  @Field(() => Int, { description: texts.level })
  level!: number

  @Field(() => Int, { description: texts.daysOverdue })
  daysOverdue!: number

  @NamesRecord('email_template')
  @Field(() => ID, { nullable: true, description: texts.templateId })
  templateId!: string | null

  @Field(() => DunningTone, { description: 'Tone of the text.' })
  tone!: DunningTone

  @Field(() => DunningChannel, { description: 'How the reminder is sent.' })
  channel!: DunningChannel

  @Field(() => DunningFee, { description: 'Fee that the level adds once to `dunningFees` of the invoice.' })
  fee!: DunningFee

  @Field(() => Boolean, { description: texts.createTask })
  createTask!: boolean

  @Field(() => Boolean, { description: texts.notifyOwner })
  notifyOwner!: boolean

  @NamesRecord('user')
  @Field(() => ID, { nullable: true, description: texts.escalateToUserId })
  escalateToUserId!: string | null
}

@ObjectType({ description: 'When and how customers are reminded of invoices that are not paid.' })
@RequiresScope('INVOICES')
export class DunningConfiguration {
  @Field(() => Boolean, { description: texts.enabled })
  enabled!: boolean

  @Field(() => Int, { description: texts.gracePeriodDays })
  gracePeriodDays!: number

  @Field(() => Decimal, { description: texts.minimumAmount })
  minimumAmount!: ExactNumber

  @Field(() => String, { description: texts.sendTime })
  sendTime!: string

  @Field(() => String, { nullable: true, description: texts.timezone })
  timezone!: string | null

  @Field(() => Boolean, { description: texts.skipWeekends })
  skipWeekends!: boolean

  @Field(() => Boolean, { description: texts.stopOnPartialPayment })
  stopOnPartialPayment!: boolean

  @Field(() => Boolean, { description: texts.pauseWhileDisputed })
  pauseWhileDisputed!: boolean

  @NamesRecord('account')
  @Field(() => [ID], { description: texts.excludeAccountIds })
  excludeAccountIds!: string[]

  @Field(() => [DunningStep], { description: texts.steps })
  steps!: DunningStep[]

  @Field(() => Float, { description: texts.interestRatePercent })
  interestRatePercent!: number

  @Field(() => Int, { nullable: true, description: texts.markUncollectibleAfterDays })
  markUncollectibleAfterDays!: number | null

  @Field(() => Int, {
    description: 'Version of the configuration: 1 while nothing was set, increased by 1 with each change.',
  })
  version!: number

  @Field(() => DateTime, { nullable: true, description: 'When it was last changed; null while nothing was set.' })
  updatedAt!: string | null
}

/** What the organization has set. */
export type DunningSettings = Omit<DunningConfiguration, 'version' | 'updatedAt'>

@InputType({ description: 'The fee of a reminder.' })
export class DunningFeeInput {
  @Field(() => DunningFeeType, { description: 'How the fee is given.' })
  type!: DunningFeeType

  @Field(() => Decimal, {
    nullable: true,
    description: 'The amount, 0 to 1,000,000,000, or the percentage, 0 to 100; null only for NONE.',
  })
  value?: ExactNumber | null
}

@InputType({ description: 'One level of reminders.' })
export class DunningStepInput {
  @Field(() => Int, { description: texts.level })
  level!: number

  @Field(() => Int, { description: texts.daysOverdue })
  daysOverdue!: number

  @Field(() => ID, { nullable: true, description: texts.templateId })
  templateId?: string | null

  @Field(() => DunningTone, { description: 'Tone of the text.' })
  tone!: DunningTone

  @Field(() => DunningChannel, { defaultValue: 'EMAIL', description: 'How the reminder is sent.' })
  channel!: DunningChannel

  @Field(() => DunningFeeInput, { nullable: true, description: 'Fee of the level; null: none.' })
  fee?: DunningFeeInput | null

  @Field(() => Boolean, { defaultValue: false, description: texts.createTask })
  createTask!: boolean

  @Field(() => Boolean, { defaultValue: false, description: texts.notifyOwner })
  notifyOwner!: boolean

  @Field(() => ID, { nullable: true, description: texts.escalateToUserId })
  escalateToUserId?: string | null
}

@InputType({
  description:
    'Changes of the dunning configuration; absent fields are not changed. Null sets the default, or nothing.',
})
export class DunningUpdateInput {
  @Field(() => Boolean, { nullable: true, description: texts.enabled })
  enabled?: boolean | null

  @Field(() => Int, { nullable: true, description: texts.gracePeriodDays })
  gracePeriodDays?: number | null

  @Field(() => Decimal, { nullable: true, description: texts.minimumAmount })
  minimumAmount?: ExactNumber | null

  @Field(() => String, { nullable: true, description: texts.sendTime })
  sendTime?: string | null

  @Field(() => String, { nullable: true, description: texts.timezone })
  timezone?: string | null

  @Field(() => Boolean, { nullable: true, description: texts.skipWeekends })
  skipWeekends?: boolean | null

  @Field(() => Boolean, { nullable: true, description: texts.stopOnPartialPayment })
  stopOnPartialPayment?: boolean | null

  @Field(() => Boolean, { nullable: true, description: texts.pauseWhileDisputed })
  pauseWhileDisputed?: boolean | null

  @Field(() => [ID], { nullable: true, description: texts.excludeAccountIds })
  excludeAccountIds?: string[] | null

  @Field(() => [DunningStepInput], { nullable: true, description: texts.steps })
  steps?: DunningStepInput[] | null

  @Field(() => Float, { nullable: true, description: texts.interestRatePercent })
  interestRatePercent?: number | null

  @Field(() => Int, { nullable: true, description: texts.markUncollectibleAfterDays })
  markUncollectibleAfterDays?: number | null
}
