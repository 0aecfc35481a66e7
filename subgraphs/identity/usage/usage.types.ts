import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/scope.ts'
import type { CountedKind } from '../../kernel/credential.ts'

export const CredentialKind = enumeration(
  'CredentialKind',
  ['API_KEY', 'OAUTH_APP', 'SESSION', 'SCIM_TOKEN'],
  'Whom a request is counted for: the key, the app of the token, the user of the session, or the token of a directory.',
)

@ObjectType({
  description:
    'Milliseconds within which a share of the requests was answered, as upper bound of a bucket; null without requests.',
})
@RequiresScopes('*')
export class ApiLatency {
  @Field(() => Int, { nullable: true, simple: true })
  p50!: number | null

  @Field(() => Int, { nullable: true, simple: true })
  p90!: number | null

  @Field(() => Int, { nullable: true, simple: true })
  p95!: number | null

  @Field(() => Int, { nullable: true, simple: true })
  p99!: number | null
}

@ObjectType()
@RequiresScopes('*')
export class ApiUsageFigures {
  @Field(() => Float, { simple: true })
  requests!: number

  @Field(() => Float, { simple: true, description: 'Requests refused because a quota was spent.' })
  rateLimitHits!: number

  @Field(() => Json, { simple: true, description: 'Number of answers by class of their status.' })
  byStatus!: Record<string, number>

  @Field(() => ApiLatency, { simple: true })
  latency!: ApiLatency
}

@ObjectType()
@RequiresScopes('*')
export class ApiUsageOfCredential extends ApiUsageFigures {
  @Field(() => CredentialKind, { simple: true })
  credentialKind!: CountedKind

  @Field(() => ID, { simple: true, description: 'Of the key, the app, the user or the token.' })
  credentialId!: string

  @Field(() => String, { nullable: true, simple: true })
  name!: string | null
}

@ObjectType()
@RequiresScopes('*')
export class ApiUsageOfOperation extends ApiUsageFigures {
  @Field(() => String, { simple: true })
  operation!: string
}

@ObjectType()
@RequiresScopes('*')
export class ApiUsageOfHour extends ApiUsageFigures {
  @Field(() => DateTime, { simple: true })
  hour!: string
}

@ObjectType({ description: 'Requests of the organization over a number of days.' })
@RequiresScopes('*')
export class ApiUsageSummary {
  @Field(() => Int, { simple: true })
  days!: number

  @Field(() => DateTime, { simple: true, description: 'Begin of the first hour.' })
  from!: string

  @Field(() => DateTime, { simple: true })
  to!: string

  @Field(() => ApiUsageFigures, { simple: true })
  totals!: ApiUsageFigures

  @Field(() => [ApiUsageOfCredential], { simple: true, description: 'The 100 that asked most, first.' })
  byCredential!: ApiUsageOfCredential[]

  @Field(() => [ApiUsageOfOperation], { simple: true, description: 'Most requests first.' })
  byOperation!: ApiUsageOfOperation[]

  @Field(() => [ApiUsageOfHour], { simple: true, description: 'Hours with requests, oldest first.' })
  byHour!: ApiUsageOfHour[]
}

@ObjectType({ description: 'Calls of one caller to a deprecated operation in the last 30 days.' })
@RequiresScopes('SESSION')
export class DeprecatedUsage {
  @Field(() => CredentialKind, { simple: true })
  credentialKind!: CountedKind

  @Field(() => ID, { simple: true, description: 'Of the key, the app, the user or the token.' })
  credentialId!: string

  @Field(() => String, { nullable: true, simple: true })
  name!: string | null

  @Field(() => String, { simple: true })
  operationId!: string

  @Field(() => String, { simple: true, description: 'Method and path.' })
  endpoint!: string

  @Field(() => Float, { simple: true })
  calls!: number

  @Field(() => DateTime, { simple: true })
  lastCalledAt!: string

  @Field(() => String, { simple: true, description: 'The day from which the operation may answer 410, `YYYY-MM-DD`.' })
  sunset!: string
}
