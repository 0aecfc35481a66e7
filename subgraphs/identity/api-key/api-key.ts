import { Entity } from '@mikro-orm/decorators/legacy'
import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import type { QuotaWindow as WindowName } from '../../kernel/credentials/public.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'

export const QuotaWindow = enumeration('QuotaWindow', ['MINUTE', 'HOUR', 'DAY'])
export const ApiKeyStatus = enumeration(
  'ApiKeyStatus',
  ['ACTIVE', 'ROTATING', 'EXPIRED', 'REVOKED'],
  'ROTATING: a former secret still works in addition to the current one.',
)

@ObjectType({ description: 'The maximum number of requests in each time window.' })
@RequiresScopes('SESSION')
export class RateLimit {
  @Field(() => Int, { simple: true })
  limit!: number

  @Field(() => QuotaWindow, { simple: true })
  window!: WindowName
}

@ObjectType({
  description: 'A credential of an integration. It acts as its owner and never has more rights than the owner.',
})
@RequiresScopes('SESSION')
@Entity({ schema: 'identity', tableName: 'api_key' })
export class ApiKey {
  @Column(() => ID)
  id!: string

  @Column(() => ID)
  organizationId!: string

  @Column(() => ID, { description: 'The user who created the key; the key acts as this user.' })
  ownerId!: string

  @Column(() => String, { max: 100, filled: true })
  name!: string

  @Column(() => String, { max: 20, description: 'The first characters of the secret, to recognize it.' })
  prefix!: string

  /** SHA-256 of the secret, in hexadecimal. */
  @Column(() => String, { internal: true })
  secretHash!: string

  @Column(() => [String], { max: 100 })
  scopes!: string[]

  @Column(() => Json, { shape: () => RateLimit })
  rateLimit!: RateLimit

  @Column(() => [String], {
    max: 50,
    maxItems: 100,
    description: 'IPv4 and IPv6 addresses and CIDR blocks from which the key works; empty: any address.',
  })
  ipAllowList!: string[]

  @Column(() => DateTime, { nullable: true, description: 'When the key expires; null: never.' })
  expiresAt!: string | null

  @Column(() => DateTime, { nullable: true })
  revokedAt!: string | null

  @Column(() => DateTime, {
    nullable: true,
    description: 'When the former secret stopped or stops working; null when the key was never rotated.',
  })
  previousSecretExpiresAt!: string | null

  @Column(() => Float, { default: 0 })
  requestCount!: number

  @Column(() => Float, { default: 0, description: 'Requests refused because the rate limit of the key was exceeded.' })
  rateLimitHits!: number

  @Column(() => Float, { default: 0, description: 'Requests to deprecated operations.' })
  deprecatedCalls!: number

  @Column(() => DateTime, { nullable: true })
  lastUsedAt!: string | null

  @Column(() => String, { nullable: true })
  lastUsedIp!: string | null

  @Column(() => Int, { description: 'Version of the key, incremented by every change; sent as ETag in REST.' })
  version!: number

  @Column(() => DateTime)
  createdAt!: string

  @Column(() => DateTime)
  updatedAt!: string

  @Column(() => DateTime, { nullable: true, internal: true })
  deletedAt!: string | null

  @Field(() => String, {
    nullable: true,
    simple: true,
    description: 'The secret; only in the answer that creates or rotates the key, otherwise null. Never stored.',
  })
  secret?: string | null
}

export function statusOf(key: ApiKey, now: Date): keyof typeof ApiKeyStatus {
  const isOver = (time: string | null) => time !== null && Date.parse(time) <= now.getTime()
  if (key.revokedAt) return 'REVOKED'
  if (isOver(key.expiresAt)) return 'EXPIRED'
  return key.previousSecretExpiresAt && !isOver(key.previousSecretExpiresAt) ? 'ROTATING' : 'ACTIVE'
}

const soonMs = 7 * 86_400_000

/** Whether the key works and expires within 7 days. */
export function expiresSoon(key: ApiKey, now: Date): boolean {
  const status = statusOf(key, now)
  const works = status === 'ACTIVE' || status === 'ROTATING'
  return works && key.expiresAt !== null && Date.parse(key.expiresAt) - now.getTime() <= soonMs
}
