import { Entity } from '@mikro-orm/decorators/legacy'
import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import type { QuotaWindow as WindowName } from '../../kernel/credentials/public.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'

export const QuotaWindow = enumeration('QuotaWindow', 'Length of the window in which requests are counted.', {
  MINUTE: '60 seconds.',
  HOUR: '3600 seconds.',
  DAY: '86,400 seconds.',
})
export const ApiKeyStatus = enumeration('ApiKeyStatus', 'State of an API key.', {
  ACTIVE: 'The key works.',
  ROTATING: 'The key works, and its previous secret still works beside the current one.',
  EXPIRED: 'The key is past `expiresAt`. It works again if that is moved to the future.',
  REVOKED: 'The key was revoked and never works again.',
})

@ObjectType({ description: 'The maximum number of requests in each time window.' })
@RequiresScopes('SESSION')
export class RateLimit {
  @Field(() => Int, { simple: true, description: 'Maximum number of requests in a window, 1 to 1000000.' })
  limit!: number

  @Field(() => QuotaWindow, { simple: true, description: 'Length of the window.' })
  window!: WindowName
}

@ObjectType({
  description: 'A credential of an integration. It acts as its owner and never has more rights than the owner.',
})
@RequiresScopes('SESSION')
@Entity({ schema: 'identity', tableName: 'api_key' })
export class ApiKey {
  @Column(() => ID, { description: 'Id of the key.' })
  id!: string

  @Column(() => ID, { description: 'Id of the organization.' })
  organizationId!: string

  @Column(() => ID, { description: 'Id of the user who created the key and as whom it acts.' })
  ownerId!: string

  @Column(() => String, { max: 100, filled: true, description: 'Name of the key.' })
  name!: string

  @Column(() => String, { max: 20, description: 'First characters of the secret.' })
  prefix!: string

  /** SHA-256 of the secret, in hexadecimal. */
  @Column(() => String, { internal: true })
  secretHash!: string

  @Column(() => [String], { max: 100, description: 'Scopes of the key.' })
  scopes!: string[]

  @Column(() => Json, {
    shape: () => RateLimit,
    description: 'Rate limit of the key, the number of requests per window.',
  })
  rateLimit!: RateLimit

  @Column(() => [String], {
    max: 50,
    maxItems: 100,
    description:
      'IPv4 addresses, IPv6 addresses and CIDR blocks from which the key works; empty if it works from every address.',
  })
  ipAllowList!: string[]

  @Column(() => DateTime, { nullable: true, description: 'When the key expires; null if it never expires.' })
  expiresAt!: string | null

  @Column(() => DateTime, { nullable: true, description: 'When the key was revoked; null if it was not.' })
  revokedAt!: string | null

  @Column(() => DateTime, {
    nullable: true,
    description: 'When the previous secret stopped or stops working; null if the key was never rotated.',
  })
  previousSecretExpiresAt!: string | null

  @Column(() => Float, {
    default: 0,
    description: 'Number of requests with the key; a request is counted within a few seconds.',
  })
  requestCount!: number

  @Column(() => Float, { default: 0, description: 'Number of requests refused because the rate limit was reached.' })
  rateLimitHits!: number

  @Column(() => Float, { default: 0, description: 'Number of requests to deprecated operations.' })
  deprecatedCalls!: number

  @Column(() => DateTime, {
    nullable: true,
    description: 'When the key was last used, known within a few seconds; null if it was never used.',
  })
  lastUsedAt!: string | null

  @Column(() => String, { nullable: true, description: 'IP address of the last use; null if the key was never used.' })
  lastUsedIp!: string | null

  @Column(() => Int, { description: 'Version of the key, incremented by every change; sent as ETag in REST.' })
  version!: number

  @Column(() => DateTime, { description: 'When the key was created.' })
  createdAt!: string

  @Column(() => DateTime, { description: 'When the key was last changed.' })
  updatedAt!: string

  @Column(() => DateTime, { nullable: true, internal: true })
  deletedAt!: string | null

  /** The `expiresAt` for which `api_key.expiring` was emitted. */
  @Column(() => DateTime, { nullable: true, internal: true })
  expiryAnnouncedFor!: string | null

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

export const expiresSoonMs = 7 * 86_400_000

/** Whether the key works and expires within 7 days. */
export function expiresSoon(key: ApiKey, now: Date): boolean {
  const status = statusOf(key, now)
  const works = status === 'ACTIVE' || status === 'ROTATING'
  return works && key.expiresAt !== null && Date.parse(key.expiresAt) - now.getTime() <= expiresSoonMs
}
