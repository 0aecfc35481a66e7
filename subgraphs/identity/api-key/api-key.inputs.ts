import { Field, InputType, Int } from 'type-graphql'
import type { QuotaWindow as WindowName } from '../../kernel/credentials/public.ts'
import { filterOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { ApiKey, QuotaWindow } from './api-key.ts'

@InputType({ description: 'The maximum number of requests in each time window.' })
export class RateLimitInput {
  @Field(() => Int, { description: 'Requests per window, 1 to 1000000.' })
  limit!: number

  @Field(() => QuotaWindow, { description: 'Length of the window.' })
  window!: WindowName
}

@InputType({ description: 'An API key to create.' })
export class ApiKeyCreateInput {
  @Field(() => String, { description: 'Name of the key, 1 to 100 characters, not only white space.' })
  name!: string

  @Field(() => [String], { description: 'Scopes of the key, 1 to 100.' })
  scopes!: string[]

  @Field(() => RateLimitInput, { nullable: true, description: 'Default 1000 per hour.' })
  rateLimit?: RateLimitInput | null

  @Field(() => [String], {
    nullable: true,
    description:
      'IPv4 addresses, IPv6 addresses and CIDR blocks from which the key works, at most 100; empty for every address.',
  })
  ipAllowList?: string[] | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the key expires, in the future; null for never. Absent: after 90 days.',
  })
  expiresAt?: string | null
}

@InputType({ description: 'Changes of an API key; absent fields are not changed.' })
export class ApiKeyUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name of the key, 1 to 100 characters, not only white space.' })
  name?: string | null

  @Field(() => [String], { nullable: true, description: 'Scopes of the key, 1 to 100.' })
  scopes?: string[] | null

  @Field(() => RateLimitInput, {
    nullable: true,
    description: 'Rate limit of the key, the number of requests per window.',
  })
  rateLimit?: RateLimitInput | null

  @Field(() => [String], {
    nullable: true,
    description:
      'IPv4 addresses, IPv6 addresses and CIDR blocks from which the key works, at most 100; empty for every address.',
  })
  ipAllowList?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'When the key expires, in the future; null for never.' })
  expiresAt?: string | null
}

export const ApiKeyFilter = filterOf('ApiKeyFilter', ApiKey)
export const ApiKeyOrder = orderOf('ApiKeyOrder', ApiKey)
export const ApiKeyPage = pageRequiring('ApiKeyPage', ApiKey, 'SESSION')
