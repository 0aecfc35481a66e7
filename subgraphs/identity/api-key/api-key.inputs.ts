import { Field, InputType, Int } from 'type-graphql'
import type { QuotaWindow as WindowName } from '../../kernel/credentials/public.ts'
import { filterOf, orderOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { ApiKey, QuotaWindow } from './api-key.ts'

@InputType()
export class RateLimitInput {
  @Field(() => Int, { description: 'Requests per window, 1 to 1000000.' })
  limit!: number

  @Field(() => QuotaWindow)
  window!: WindowName
}

@InputType()
export class ApiKeyCreateInput {
  @Field(() => String)
  name!: string

  @Field(() => [String])
  scopes!: string[]

  @Field(() => RateLimitInput, { nullable: true, description: 'Default 1000 per hour.' })
  rateLimit?: RateLimitInput | null

  @Field(() => [String], { nullable: true })
  ipAllowList?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'When the key expires. Absent: in 90 days. Null: never.' })
  expiresAt?: string | null
}

@InputType()
export class ApiKeyUpdateInput {
  @Field(() => String, { nullable: true })
  name?: string | null

  @Field(() => [String], { nullable: true })
  scopes?: string[] | null

  @Field(() => RateLimitInput, { nullable: true })
  rateLimit?: RateLimitInput | null

  @Field(() => [String], { nullable: true })
  ipAllowList?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'When the key expires; null: never.' })
  expiresAt?: string | null
}

export const ApiKeyFilter = filterOf('ApiKeyFilter', ApiKey)
export const ApiKeyOrder = orderOf('ApiKeyOrder', ApiKey)
export const ApiKeyPage = pageRequiring('ApiKeyPage', ApiKey, 'SESSION')
