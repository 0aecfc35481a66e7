import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { CountedKind } from '../../kernel/credentials/public.ts'

export const CredentialKind = enumeration('CredentialKind', 'The kind of credential that a request is counted for.', {
  API_KEY: 'The API key of the request.',
  OAUTH_APP: 'The app of the access token.',
  SESSION: 'The user of the session.',
  SCIM_TOKEN: 'The SCIM token of a directory.',
})

@ObjectType({
  description:
    'Latency percentiles in milliseconds, each as the upper bound of its bucket (10 to 10000); null without requests.',
})
@RequiresScopes('*')
export class ApiLatency {
  @Field(() => Int, {
    nullable: true,
    simple: true,
    description: '50 % of the requests took at most this many milliseconds.',
  })
  p50!: number | null

  @Field(() => Int, {
    nullable: true,
    simple: true,
    description: '90 % of the requests took at most this many milliseconds.',
  })
  p90!: number | null

  @Field(() => Int, {
    nullable: true,
    simple: true,
    description: '95 % of the requests took at most this many milliseconds.',
  })
  p95!: number | null

  @Field(() => Int, {
    nullable: true,
    simple: true,
    description: '99 % of the requests took at most this many milliseconds.',
  })
  p99!: number | null
}

@ObjectType({ description: 'Number of requests with their statuses and latency.' })
@RequiresScopes('*')
export class ApiUsageFigures {
  @Field(() => Float, { simple: true, description: 'Number of requests.' })
  requests!: number

  @Field(() => Float, {
    simple: true,
    description: 'Number of requests refused because a quota was used up; included in `requests`.',
  })
  rateLimitHits!: number

  @Field(() => Json, { simple: true, description: 'Number of answers by status class: 2xx, 3xx, 4xx, 5xx.' })
  byStatus!: Record<string, number>

  @Field(() => ApiLatency, {
    simple: true,
    description:
      'Latency percentiles in milliseconds. Each value is the upper bound of a bucket (10, 25, 50, 100, 250, 500, 1000, 2500, 5000 or 10000); slower requests count as 10000. Null without requests.',
  })
  latency!: ApiLatency
}

@ObjectType({ description: 'Usage of one credential.' })
@RequiresScopes('*')
export class ApiUsageOfCredential extends ApiUsageFigures {
  @Field(() => CredentialKind, { simple: true, description: 'Kind of credential.' })
  credentialKind!: CountedKind

  @Field(() => ID, { simple: true, description: 'Id of the API key, app, user (SESSION) or SCIM token.' })
  credentialId!: string

  @Field(() => String, {
    nullable: true,
    simple: true,
    description: 'Name of the API key, app or user; null if it has no name.',
  })
  name!: string | null
}

@ObjectType({ description: 'Usage of one operation.' })
@RequiresScopes('*')
export class ApiUsageOfOperation extends ApiUsageFigures {
  @Field(() => String, {
    simple: true,
    description: 'The `operationId`; `graphql` for GraphQL requests, `unknown` for paths that do not exist.',
  })
  operation!: string
}

@ObjectType({ description: 'Usage in one hour.' })
@RequiresScopes('*')
export class ApiUsageOfHour extends ApiUsageFigures {
  @Field(() => DateTime, { simple: true, description: 'Start of the hour, in UTC.' })
  hour!: string
}

@ObjectType({ description: 'What the organization stores: records, events, bodies of webhooks and mails.' })
@RequiresScopes('*')
export class StorageUsage {
  @Field(() => Float, {
    simple: true,
    description:
      'Bytes that are stored at most: those of the last measurement and all that were written since, in units of about 256 KB.',
  })
  bytes!: number

  @Field(() => Float, {
    nullable: true,
    simple: true,
    description: 'Bytes beyond which writes are refused with `STORAGE_LIMIT_EXCEEDED`; null without a limit.',
  })
  limitBytes!: number | null

  @Field(() => DateTime, {
    nullable: true,
    simple: true,
    description:
      'When the bytes were last measured; null if too few were written. They are measured each day in which 16 MB were written, and more often near the limit.',
  })
  measuredAt!: string | null
}

@ObjectType({ description: 'Usage of the API by the organization in a number of days.' })
@RequiresScopes('*')
export class ApiUsageSummary {
  @Field(() => Int, { simple: true, description: 'Length of the period in days, as requested.' })
  days!: number

  @Field(() => DateTime, { simple: true, description: 'Start of the period, a full hour in UTC.' })
  from!: string

  @Field(() => DateTime, { simple: true, description: 'End of the period: the time of the request.' })
  to!: string

  @Field(() => ApiUsageFigures, { simple: true, description: 'Number of requests with their statuses and latency.' })
  totals!: ApiUsageFigures

  @Field(() => [ApiUsageOfCredential], {
    simple: true,
    description: 'Usage per credential, most requests first; at most 100.',
  })
  byCredential!: ApiUsageOfCredential[]

  @Field(() => [ApiUsageOfOperation], { simple: true, description: 'Usage per operation, most requests first.' })
  byOperation!: ApiUsageOfOperation[]

  @Field(() => [ApiUsageOfHour], {
    simple: true,
    description: 'Usage per hour, oldest first; hours without requests are omitted.',
  })
  byHour!: ApiUsageOfHour[]

  @Field(() => StorageUsage, { simple: true, description: 'What the organization stores at the time of the request.' })
  storage!: StorageUsage
}

@ObjectType({ description: 'Calls of a deprecated operation with one credential in the last 30 days.' })
@RequiresScopes('SESSION')
export class DeprecatedUsage {
  @Field(() => CredentialKind, { simple: true, description: 'Kind of credential.' })
  credentialKind!: CountedKind

  @Field(() => ID, { simple: true, description: 'Id of the API key, app, user (SESSION) or SCIM token.' })
  credentialId!: string

  @Field(() => String, {
    nullable: true,
    simple: true,
    description: 'Name of the API key, app or user; null if it has no name.',
  })
  name!: string | null

  @Field(() => String, { simple: true, description: 'The `operationId` of the deprecated operation.' })
  operationId!: string

  @Field(() => String, { simple: true, description: 'Method and path of the operation.' })
  endpoint!: string

  @Field(() => Float, { simple: true, description: 'Number of calls today and on the 29 days before (UTC).' })
  calls!: number

  @Field(() => DateTime, { simple: true, description: 'When the operation was last called.' })
  lastCalledAt!: string

  @Field(() => String, { simple: true, description: 'First day on which the operation may answer 410.' })
  sunset!: string
}
