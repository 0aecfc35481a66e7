import { Float, ID, InputType, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal, Json } from '../../kernel/record/scalars.ts'
import type { Counts } from '../../kernel/record/stats.ts'
import { classNamed, type Class } from '../../kernel/record/declared-class.ts'
import {
  TriageActionStatus,
  TriageActionType,
  TriageEntityType,
  TriageScanStatus,
  TriageSeverity,
  TriageSignalKey,
  TriageStatus,
} from './triage.enumerations.ts'

const anId = '019a0c5e-7f00-7b21-9c0d-3e5f7a912b40'
const aTime = '2026-11-02T06:00:00.000Z'

@ObjectType({ description: 'A record that a signal or an action is about.' })
@RequiresScope('HEALTH_TRIAGE')
export class TriageEvidence {
  @OutputField(() => TriageEntityType, { description: 'Type of the record.', example: 'CONTACT' })
  entityType!: TriageEntityType

  @OutputField(() => ID, { description: 'Id of the record.', example: anId })
  entityId!: string
}

@ObjectType({ description: 'What raises or lowers the risk of an account.' })
@RequiresScope('HEALTH_TRIAGE')
export class TriageSignal {
  @OutputField(() => TriageSignalKey, { description: 'The signal.', example: 'CHAMPION_LEFT' })
  key!: TriageSignalKey

  @OutputField(() => String, { description: 'The signal in words.', example: 'The champion has left' })
  label!: string

  @OutputField(() => Float, { description: 'Its value, which the weight multiplies.', example: 1 })
  value!: number

  @OutputField(() => Float, { description: 'Its weight, as configured at the scan.', example: 1 })
  weight!: number

  @OutputField(() => Float, {
    description: 'What it adds to the risk; the contributions of all signals add up to `riskScore`.',
    example: 18.73,
  })
  contribution!: number

  // A plain value, because the cost of nested lists would leave no room for a page of 100 cases.
  @OutputField(() => Json, {
    description:
      'At most five records from which it follows, as far as the caller sees them, as `[{entityType, entityId}]`.',
    example: [{ entityType: 'CONTACT', entityId: anId }],
  })
  evidence!: readonly TriageEvidence[]

  @OutputField(() => DateTime, { description: 'When a scan first found it in this case.', example: aTime })
  detectedAt!: string
}

@InputType({ description: 'A run of a custom action for the account of a triage case.' })
export class TriageCustomActionInput {
  @InputField(() => String, {
    max: 64,
    filled: true,
    description: 'Id or `apiName` of the custom action, which must be for accounts or for any record.',
    example: 'check_stock',
  })
  action!: string

  @InputField(() => Json, {
    nullable: true,
    description: 'What fits its `inputSchema`, at most 4000 characters as JSON; null for an empty object.',
    example: { sku: 'A-100' },
  })
  input?: unknown
}

@ObjectType({ description: 'Something that can be done about an account at risk.' })
@RequiresScope('HEALTH_TRIAGE')
export class TriageAction {
  @OutputField(() => ID, {
    description: 'Id of the action, a UUIDv5 of the case and what is done; a created task has the same id.',
    example: '5f3c1a52-8a0e-5d4e-9a37-0c2b6a3f7d10',
  })
  id!: string

  @OutputField(() => TriageActionType, { description: 'What it does.', example: 'CREATE_TASK' })
  type!: TriageActionType

  @OutputField(() => String, { description: 'What it does, in words.', example: 'Find a new champion' })
  title!: string

  @OutputField(() => String, {
    description: 'Why it is suggested; of a custom action what it does.',
    example: 'The champion has left, and nobody has taken the place.',
  })
  rationale!: string

  @OutputField(() => TriageEvidence, { description: 'The record that it is about.' })
  subject!: TriageEvidence

  @OutputField(() => Json, {
    description: 'The values that it writes; of a custom action `{action, input}` with its id and the input.',
    example: { subject: 'Find a new champion', type: 'FOLLOW_UP', priority: 'HIGH' },
  })
  payload!: unknown

  @OutputField(() => TriageActionStatus, { description: 'What became of it.', example: 'SUGGESTED' })
  status!: TriageActionStatus

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When it was executed, or failed; null before.',
    example: null,
  })
  executedAt!: string | null

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the record that it created or changed; null before, and for a custom action.',
    example: null,
  })
  resultId!: string | null

  @OutputField(() => String, { nullable: true, description: 'Why it failed; null if it did not.', example: null })
  error!: string | null
}

/** The type of the numbers of cases by the values of an enumeration. */
function countsBy(name: string, values: Readonly<Record<string, string>>, many: string): Class {
  const type = classNamed(name)
  ObjectType(name, { description: `Number of ${many} by value.` })(type)
  RequiresScopes('READ_HEALTH_TRIAGE')(type as never)
  for (const value of Object.keys(values))
    OutputField(() => Int, { description: `Number of ${many} that are ${value}.`, example: 1 })(
      type.prototype as object,
      value,
    )
  return type
}

const TriageCasesByStatus = countsBy('TriageCasesByStatus', TriageStatus, 'cases')
const TriageCasesBySeverity = countsBy('TriageCasesBySeverity', TriageSeverity, 'open cases')

@ObjectType({
  description:
    'Figures of the triage cases that the caller sees. Open cases are those that are OPEN, PLAN_SAVED or IN_PROGRESS.',
})
@RequiresScope('HEALTH_TRIAGE')
export class TriageStats {
  @OutputField(() => Int, { description: 'Number of cases.', example: 4 })
  total!: number

  @OutputField(() => TriageCasesByStatus, { description: 'Number of cases by `status`.' })
  byStatus!: Counts

  @OutputField(() => TriageCasesBySeverity, {
    nullable: true,
    description: 'Number of open cases by `severity`; null if the profile hides a field from which it follows.',
  })
  bySeverity!: Counts | null

  @OutputField(() => Float, {
    nullable: true,
    description: 'Average `riskScore` of the open cases; null without any, or if the profile hides it.',
    example: 57.31,
  })
  averageRiskScore!: number | null

  @OutputField(() => Float, {
    nullable: true,
    description: 'Deprecated: the same as `averageRiskScore`.',
    deprecationReason: 'Use `averageRiskScore`.',
    example: 57.31,
  })
  averageRisk!: number | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: 'Sum of `revenueAtRisk` of the open cases, in `currency`; null if the profile hides it.',
    example: 48210.5,
  })
  totalRevenueAtRisk!: ExactNumber | null

  @OutputField(() => Decimal, {
    nullable: true,
    description: 'Deprecated: the same as `totalRevenueAtRisk`.',
    deprecationReason: 'Use `totalRevenueAtRisk`.',
    example: 48210.5,
  })
  revenueAtRisk!: ExactNumber | null

  @OutputField(() => String, { description: 'Base currency of the organization.', example: 'USD' })
  currency!: string
}

@ObjectType({ description: 'The triage cases of one day, as far as the caller sees them.' })
@RequiresScope('HEALTH_TRIAGE')
export class TriageTrend {
  @OutputField(() => String, {
    description: 'The day in the time zone of the organization, `YYYY-MM-DD`.',
    example: '2026-11-02',
  })
  date!: string

  @OutputField(() => Int, { description: 'Cases that were not resolved at the end of the day, or now.', example: 3 })
  open!: number

  @OutputField(() => Int, { description: 'Cases that were opened on the day.', example: 1 })
  opened!: number

  @OutputField(() => Int, { description: 'Cases that were resolved on the day.', example: 0 })
  resolved!: number

  @OutputField(() => Float, {
    nullable: true,
    description: 'Average risk of the open cases by the scan of the day; null without one, or if the profile hides it.',
    example: 57.31,
  })
  averageRisk!: number | null

  @OutputField(() => Decimal, {
    nullable: true,
    description:
      'Revenue at risk of the open cases by the scan of the day; null without one, or if the profile hides it.',
    example: 48210.5,
  })
  revenueAtRisk!: ExactNumber | null
}

@ObjectType({ description: 'The scan of the accounts of the organization.' })
@RequiresScope('HEALTH_TRIAGE')
export class TriageScan {
  @OutputField(() => TriageScanStatus, { description: 'Whether a scan runs.', example: 'QUEUED' })
  status!: TriageScanStatus

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When a scan was requested; null if none waits.',
    example: aTime,
  })
  requestedAt!: string | null

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When the running scan began; null if none runs.',
    example: null,
  })
  startedAt!: string | null

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When the last scan was finished; null before the first one.',
    example: null,
  })
  finishedAt!: string | null

  @OutputField(() => Int, { description: 'Accounts that the running or last scan has looked at.', example: 0 })
  accounts!: number

  @OutputField(() => Int, { description: 'Cases that it opened.', example: 0 })
  opened!: number

  @OutputField(() => Int, { description: 'Cases that it resolved.', example: 0 })
  resolved!: number
}
