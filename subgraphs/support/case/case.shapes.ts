import { ArgsType, Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { UnfilteredPageArgs } from '../../kernel/record/list-args.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import { CaseOrigin, CasePriority, CaseStatus, CaseType } from './case.ts'

@ObjectType({ description: 'Summary of a case, written from its description and comments.' })
@RequiresScope('CASES')
export class CaseSummary {
  @NamesRecord('case')
  @Field(() => ID, { description: 'Id of the case.' })
  caseId!: string

  @Field(() => String, { description: 'Text of the summary, without images, HTML and links.' })
  summary!: string

  @Field(() => [String], { description: 'The most important points.' })
  keyPoints!: string[]

  @Field(() => DateTime, { description: 'When the summary was written.' })
  generatedAt!: string

  @Field(() => String, {
    description:
      'Name of the language model that wrote the summary; `extractive-1` for the fixed rules, which select sentences: without a configured model, or if it gave no usable answer.',
  })
  model!: string

  @Field(() => Int, {
    description:
      'Version that the case has with this summary. The summary is outdated if the case has a higher version.',
  })
  basedOnVersion!: number
}

@ArgsType()
export class AssigneePageArgs extends UnfilteredPageArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'Text that the name must contain, at most 200 characters. One or two ASCII letters or digits find words that begin with them. `%` and `_` are ordinary characters.',
  })
  search?: string | null
}

@ObjectType({ description: 'A user to whom cases can be assigned.' })
@RequiresScope('CASES')
export class CaseAssignee {
  @Field(() => ID, { description: 'Id of the user.' })
  id!: string

  @Field(() => String, { description: 'Display name of the user.' })
  name!: string

  @Field(() => String, { description: 'Email address of the user.' })
  email!: string

  @Field(() => String, { description: 'Role of the user.' })
  role!: string

  @Field(() => Int, {
    nullable: true,
    description:
      'Number of cases assigned to the user that are neither RESOLVED nor CLOSED and that the caller sees; null if the profile hides a field that it needs.',
  })
  openCases!: number | null
}

const CaseStatusCounts = valueCounts(CaseStatus, 'CASES', 'cases')
const CasePriorityCounts = valueCounts(CasePriority, 'CASES', 'cases')
const CaseTypeCounts = valueCounts(CaseType, 'CASES', 'cases')
const CaseOriginCounts = valueCounts(CaseOrigin, 'CASES', 'cases')

@ObjectType({
  description:
    'Statistics of the live cases that the caller sees. A value is null if the profile hides a field that it needs.',
})
@RequiresScope('CASES')
export class CaseStats {
  @Field(() => Int, { description: 'Number of cases.' })
  total!: number

  @Field(() => CaseStatusCounts, { description: 'Number of cases by `status`.' })
  byStatus!: Counts

  @Field(() => CasePriorityCounts, { description: 'Number of cases by `priority`.' })
  byPriority!: Counts

  @Field(() => CaseTypeCounts, { description: 'Number of cases by `type`.' })
  byType!: Counts

  @Field(() => CaseOriginCounts, { description: 'Number of cases by `origin`.' })
  byOrigin!: Counts

  @Field(() => Int, { description: 'Number of cases that are neither RESOLVED nor CLOSED.' })
  open!: number

  @Field(() => Int, {
    nullable: true,
    description:
      'Number of open cases past `slaDueAt` that are not PENDING_CUSTOMER. Null if the profile hides `slaDueAt`.',
  })
  overdue!: number | null

  @Field(() => Int, {
    nullable: true,
    description: 'Number of open cases without an assignee. Null if the profile hides `assignedToId`.',
  })
  unassigned!: number | null

  @Field(() => Int, {
    nullable: true,
    description:
      'Number of cases that were resolved after `slaDueAt` or are overdue. Null if the profile hides a field that it needs.',
  })
  slaBreached!: number | null

  @Field(() => Float, {
    nullable: true,
    description:
      'Average time from the creation to the first response in minutes, with two decimals, by the clock and not by business hours; null without responses.',
  })
  averageFirstResponseMinutes!: number | null

  @Field(() => Float, { nullable: true, description: 'The same as `averageFirstResponseMinutes`.' })
  avgFirstResponseMinutes!: number | null

  @Field(() => Float, {
    nullable: true,
    description:
      'Average time from the creation to the resolution in hours, with two decimals, by the clock and not by business hours; null without resolved cases.',
  })
  averageResolutionHours!: number | null

  @Field(() => Float, { nullable: true, description: 'The same as `averageResolutionHours`.' })
  avgResolutionHours!: number | null

  @Field(() => Float, {
    nullable: true,
    description: 'Share of all cases ever resolved that were reopened, 0 to 1; null without such cases.',
  })
  reopenRate!: number | null
}
