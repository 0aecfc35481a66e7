import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { Scope } from '../../kernel/record/scope.ts'
import type { Counts } from '../../kernel/record/stats.ts'

@ObjectType({ description: 'A condensed case: sentences picked from its description and comments.' })
@Scope('CASES')
export class CaseSummary {
  @Field(() => ID)
  caseId!: string

  @Field(() => String)
  summary!: string

  @Field(() => [String])
  keyPoints!: string[]

  @Field(() => DateTime)
  generatedAt!: string

  @Field(() => String, { description: 'The model that wrote it.' })
  model!: string

  @Field(() => Int, { description: 'Version of the case that was summarized; the case may have changed since.' })
  basedOnVersion!: number
}

@ObjectType({ description: 'A user who can be given cases.' })
@Scope('CASES')
export class CaseAssignee {
  @Field(() => ID)
  id!: string

  @Field(() => String)
  name!: string

  @Field(() => String)
  email!: string

  @Field(() => String)
  role!: string

  @Field(() => Int, {
    nullable: true,
    description: 'Cases in sight that the user has and that are neither resolved nor closed.',
  })
  openCases!: number | null
}

@ObjectType({ description: 'Figures over the live cases in sight. One over a field that the profile hides is null.' })
@Scope('CASES')
export class CaseStats {
  @Field(() => Int)
  total!: number

  @Field(() => Json, { description: 'Number of cases by status.' })
  byStatus!: Counts

  @Field(() => Json)
  byPriority!: Counts

  @Field(() => Json)
  byType!: Counts

  @Field(() => Json)
  byOrigin!: Counts

  @Field(() => Int, { description: 'Neither resolved nor closed.' })
  open!: number

  @Field(() => Int, { nullable: true, description: 'Open, not waiting for the customer, and past slaDueAt.' })
  overdue!: number | null

  @Field(() => Int, { nullable: true, description: 'Open without assignee.' })
  unassigned!: number | null

  @Field(() => Int, { nullable: true, description: 'Resolved after slaDueAt, or overdue.' })
  slaBreached!: number | null

  @Field(() => Float, { nullable: true })
  avgFirstResponseMinutes!: number | null

  @Field(() => Float, { nullable: true })
  avgResolutionHours!: number | null

  @Field(() => Float, { nullable: true, description: 'Share of the cases ever resolved that were reopened, 0 to 1.' })
  reopenRate!: number | null
}
