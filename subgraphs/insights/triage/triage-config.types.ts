import { Float, InputType, Int, ObjectType } from 'type-graphql'
import { AccountType } from '../../crm/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { classNamed, type Class } from '../../kernel/record/declared-class.ts'
import { riskWeights, type RiskWeights } from './churn-risk.ts'
import { TriageWeightsSource } from './triage.enumerations.ts'

/** What each weight multiplies. */
const weightMeanings: Readonly<Record<keyof RiskWeights, string>> = {
  baseRate: 'The constant of the formula, the risk of an account of which nothing is known.',
  engagementVelocity: 'The change of engagement over the last 14 days, -1 to 3.',
  silence: 'Thirties of days without engagement of the customer.',
  championLeft: '1 if a champion has left and there is no other.',
  openCases: 'Open cases that are URGENT or ESCALATED, at most 3.',
  casesReopened: 'Share of the cases of the lookback that were reopened.',
  invoicesOverdue: 'Share of the open balance that is overdue for more than 30 days.',
  productUsage: 'The change of product usage over the last 14 days, -1 to 3.',
  renewal: '1 if a renewal within 90 days has no open RENEWAL deal.',
  healthDrop: '1 if the health fell by more than 15 points within 30 days.',
  payments: 'How the payments of an account without any activity are among those of all, -1 the best, 1 the lowest.',
}

export const thresholdsDefault = { critical: 80, high: 60, medium: 40 }

const thresholdMeanings: Readonly<Record<keyof typeof thresholdsDefault, string>> = {
  critical: 'Risk from which a case is CRITICAL.',
  high: 'Risk from which a case is HIGH.',
  medium: 'Risk from which a case is MEDIUM, and at which a case is opened.',
}

/** Two classes with one field for each name: what is answered, and what a change may contain. */
function numbers(
  name: string,
  description: string,
  fields: readonly (readonly [string, { description: string; example: number; minimum: number; maximum: number }])[],
): { readonly type: Class; readonly input: Class } {
  const type = classNamed(name)
  ObjectType(name, { description })(type)
  RequiresScopes('READ_HEALTH_TRIAGE')(type as never)
  const input = classNamed(`${name}Input`)
  InputType(`${name}Input`, {
    description: `${description} Absent values are not changed, and null restores a default.`,
  })(input)
  for (const [field, options] of fields) {
    OutputField(() => Float, options)(type.prototype as object, field)
    InputField(() => Float, { ...options, nullable: true })(input.prototype as object, field)
  }
  return { type, input }
}

const weights = numbers(
  'TriageWeights',
  'The weights of the signals: the risk is 100 / (1 + e^-z), z = baseRate and each weight times its value.',
  Object.entries(weightMeanings).map(([name, description]) => [
    name,
    { description, example: riskWeights[name as keyof RiskWeights], minimum: -10, maximum: 10 },
  ]),
)

const thresholds = numbers(
  'TriageThresholds',
  'The risks from which a case has a severity, in descending order.',
  Object.entries(thresholdMeanings).map(([name, description]) => [
    name,
    { description, example: thresholdsDefault[name as keyof typeof thresholdsDefault], minimum: 0, maximum: 100 },
  ]),
)

@ObjectType({ description: 'Whom a new case is told to.' })
@RequiresScope('HEALTH_TRIAGE')
export class TriageNotify {
  @OutputField(() => Boolean, { description: 'The owner of the account.', example: true })
  owner!: boolean
}

@InputType({ description: 'Whom a new case is told to.' })
export class TriageNotifyInput {
  @InputField(() => Boolean, { description: 'The owner of the account.', example: true })
  owner!: boolean
}

const meanings = {
  enabled: 'Whether accounts are scanned. Cases stay as they are while it is off.',
  lookbackDays: 'How many days back activities and cases count, 1 to 365; also the longest silence.',
  minimumRevenue:
    'Accounts with less revenue in 12 months, or without known revenue, get no case; null: all accounts. In the base currency.',
  excludedAccountTypes: 'Accounts of these types are not scanned. Accounts that are CHURNED never are.',
  scanSchedule:
    'When the scan runs, as five cron fields (minute, hour, day, month, weekday) in the time zone of the organization, at most once an hour.',
  cooldownDays:
    'After a case was resolved, the account gets no new one for so many days; an ignored case without `until` is opened again after them. 0 to 365.',
  autoResolveBelow: 'A case whose risk falls below it is resolved. At most `thresholds.medium`.',
  notify: 'Whom a new case is told to.',
} as const

@ObjectType({ description: 'How the organization looks for accounts at risk.' })
@RequiresScope('HEALTH_TRIAGE')
export class TriageConfig {
  @OutputField(() => Boolean, { description: meanings.enabled, example: true })
  enabled!: boolean

  @OutputField(() => weights.type, { description: 'The weights of the signals.' })
  weights!: RiskWeights

  @OutputField(() => TriageWeightsSource, {
    description: 'Where the weights are from. To set the default of all of them returns to those that are fitted.',
    example: 'START',
  })
  weightsSource!: TriageWeightsSource

  @OutputField(() => String, {
    description: 'The version of the weights, with the month if they were fitted.',
    example: 'churn-3f0a9c1d',
  })
  modelVersion!: string

  @OutputField(() => thresholds.type, { description: 'The risks from which a case has a severity.' })
  thresholds!: typeof thresholdsDefault

  @OutputField(() => Int, { description: meanings.lookbackDays, example: 90 })
  lookbackDays!: number

  @OutputField(() => Decimal, { nullable: true, description: meanings.minimumRevenue, example: null })
  minimumRevenue!: ExactNumber | null

  @OutputField(() => AccountType, { list: true, description: meanings.excludedAccountTypes, example: ['COMPETITOR'] })
  excludedAccountTypes!: readonly (keyof typeof AccountType)[]

  @OutputField(() => String, { description: meanings.scanSchedule, example: '0 6 * * *' })
  scanSchedule!: string

  @OutputField(() => Int, { description: meanings.cooldownDays, example: 14 })
  cooldownDays!: number

  @OutputField(() => Float, { description: meanings.autoResolveBelow, example: 30 })
  autoResolveBelow!: number

  @OutputField(() => TriageNotify, { description: meanings.notify })
  notify!: TriageNotify

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When the next scan begins; null before the first minute of the organization, or while it is off.',
    example: '2026-11-03T06:00:00.000Z',
  })
  nextScanAt!: string | null

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When the last scan was finished; null before the first one.',
    example: '2026-11-02T06:00:09.000Z',
  })
  lastScanAt!: string | null
}

@InputType({ description: 'Changes of the configuration; absent values are not changed, and null restores a default.' })
export class TriageConfigUpdateInput {
  @InputField(() => Boolean, { nullable: true, description: meanings.enabled, example: true })
  enabled?: boolean | null

  @InputField(() => weights.input, { nullable: true, description: 'The weights of the signals.' })
  weights?: Partial<Record<keyof RiskWeights, number | null>> | null

  @InputField(() => thresholds.input, { nullable: true, description: 'The risks from which a case has a severity.' })
  thresholds?: Partial<Record<keyof typeof thresholdsDefault, number | null>> | null

  @InputField(() => Int, {
    nullable: true,
    minimum: 1,
    maximum: 365,
    description: meanings.lookbackDays,
    example: 90,
  })
  lookbackDays?: number | null

  @InputField(() => Decimal, {
    nullable: true,
    minimum: 0,
    decimals: 2,
    description: meanings.minimumRevenue,
    example: 1000,
  })
  minimumRevenue?: ExactNumber | null

  @InputField(() => AccountType, {
    nullable: true,
    list: true,
    maxItems: Object.keys(AccountType).length,
    description: meanings.excludedAccountTypes,
    example: ['COMPETITOR'],
  })
  excludedAccountTypes?: (keyof typeof AccountType)[] | null

  @InputField(() => String, { nullable: true, max: 100, description: meanings.scanSchedule, example: '0 6 * * *' })
  scanSchedule?: string | null

  @InputField(() => Int, { nullable: true, minimum: 0, maximum: 365, description: meanings.cooldownDays, example: 14 })
  cooldownDays?: number | null

  @InputField(() => Float, {
    nullable: true,
    minimum: 0,
    maximum: 100,
    description: meanings.autoResolveBelow,
    example: 30,
  })
  autoResolveBelow?: number | null

  @InputField(() => TriageNotifyInput, { nullable: true, description: meanings.notify })
  notify?: TriageNotifyInput | null
}
