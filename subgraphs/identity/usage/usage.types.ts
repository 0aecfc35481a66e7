import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { CountedKind } from '../../kernel/credentials/public.ts'

export const CredentialKind = enumeration(
  'CredentialKind',
  ['API_KEY', 'OAUTH_APP', 'SESSION', 'SCIM_TOKEN'],
  'The kind of credential that a request is counted for: the API key, the app of the token, the user of the session, or the SCIM token.',
)

@ObjectType({
  description:
    'Latency percentiles in milliseconds, each as the upper bound of its bucket (10 to 10000); null without requests.',
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

  @Field(() => Float, { simple: true, description: 'Requests refused because a rate limit was exceeded.' })
  rateLimitHits!: number

  @Field(() => Json, { simple: true, description: 'Number of answers by status class: 2xx, 3xx, 4xx, 5xx.' })
  byStatus!: Record<string, number>

  @Field(() => ApiLatency, { simple: true })
  latency!: ApiLatency
}

@ObjectType()
@RequiresScopes('*')
export class ApiUsageOfCredential extends ApiUsageFigures {
  @Field(() => CredentialKind, { simple: true })
  credentialKind!: CountedKind

  @Field(() => ID, { simple: true, description: 'Id of the API key, app, user or SCIM token.' })
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

@ObjectType({ description: 'Usage of the API by the organization in a number of days.' })
@RequiresScopes('*')
export class ApiUsageSummary {
  @Field(() => Int, { simple: true })
  days!: number

  @Field(() => DateTime, { simple: true, description: 'Start of the first hour.' })
  from!: string

  @Field(() => DateTime, { simple: true })
  to!: string

  @Field(() => ApiUsageFigures, { simple: true })
  totals!: ApiUsageFigures

  @Field(() => [ApiUsageOfCredential], {
    simple: true,
    description: 'The 100 credentials with the most requests, most requests first.',
  })
  byCredential!: ApiUsageOfCredential[]

  @Field(() => [ApiUsageOfOperation], { simple: true, description: 'Operations, most requests first.' })
  byOperation!: ApiUsageOfOperation[]

  @Field(() => [ApiUsageOfHour], { simple: true, description: 'Hours with requests, oldest first.' })
  byHour!: ApiUsageOfHour[]
}

@ObjectType({ description: 'Calls of a deprecated operation with one credential in the last 30 days.' })
@RequiresScopes('SESSION')
export class DeprecatedUsage {
  @Field(() => CredentialKind, { simple: true })
  credentialKind!: CountedKind

  @Field(() => ID, { simple: true, description: 'Id of the API key, app, user or SCIM token.' })
  credentialId!: string

  @Field(() => String, { nullable: true, simple: true })
  name!: string | null

  @Field(() => String, { simple: true })
  operationId!: string

  @Field(() => String, { simple: true, description: 'Method and path of the operation.' })
  endpoint!: string

  @Field(() => Float, { simple: true })
  calls!: number

  @Field(() => DateTime, { simple: true })
  lastCalledAt!: string

  @Field(() => String, { simple: true, description: 'The day from which the operation may answer 410, `YYYY-MM-DD`.' })
  sunset!: string
}
