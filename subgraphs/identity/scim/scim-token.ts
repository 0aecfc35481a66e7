import { Field, ID, ObjectType } from 'type-graphql'
import type { Sql } from '../../kernel/database/database.ts'
import { newId } from '../../kernel/ids.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/scope.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { newScimToken, type ScimTokenRecord } from '../../kernel/scim-token.ts'
import { administering } from '../admin/administer.ts'
import { appendAudit } from '../audit/audit.ts'
import { makerAdministers } from './live-token.ts'

@ObjectType({ description: 'The credential of the directory that provisions users and teams by SCIM.' })
@RequiresScopes('SESSION')
export class ScimToken {
  @Field(() => Boolean, {
    simple: true,
    description: 'Whether there is one that works: who made it is active, and still an owner or an admin.',
  })
  isActive!: boolean

  @Field(() => String, { simple: true, nullable: true, description: 'How it begins.' })
  prefix!: string | null

  @Field(() => DateTime, { simple: true, nullable: true })
  createdAt!: string | null

  @Field(() => ID, { simple: true, nullable: true })
  createdById!: string | null

  @Field(() => DateTime, { simple: true, nullable: true, description: 'To the minute.' })
  lastUsedAt!: string | null

  @Field(() => String, { simple: true, nullable: true, description: 'Only in the answer that makes it.' })
  token?: string | null
}

const nothing: ScimToken = { isActive: false, prefix: null, createdAt: null, createdById: null, lastUsedAt: null }

export async function readScimToken(ctx: RequestContext): Promise<ScimToken> {
  requireAdministrator(ctx)
  const [row] = await ctx.db.query<ScimToken>(
    `select ${makerAdministers} as "isActive", t.prefix, t.created_at as "createdAt", t.created_by_id as "createdById",
       t.last_used_at as "lastUsedAt"
     from identity.scim_token t where t.organization_id = $1`,
    [ctx.caller.organizationId],
  )
  return row ?? nothing
}

/** The token of before stops working with the commit. */
export function rotateScimToken(ctx: RequestContext): Promise<ScimToken> {
  return administering(ctx, async (inner) => {
    const { organizationId, userId } = inner.caller
    const { token, hash, prefix } = newScimToken()
    const id = newId()
    await inner.db.query(
      `insert into identity.scim_token (organization_id, id, token_hash, prefix, created_by_id, created_at)
       values ($1, $2, $3, $4, $5, $6) on conflict (organization_id) do update
       set id = $2, token_hash = $3, prefix = $4, created_by_id = $5, created_at = $6, last_used_at = null`,
      [organizationId, id, hash, prefix, userId, inner.clock.now().toISOString()],
    )
    await appendAudit(inner, { action: 'scim_token.created', target: { type: 'scim_token', id }, after: { prefix } })
    return { ...(await readScimToken(inner)), token }
  })
}

export function revokeScimToken(ctx: RequestContext): Promise<boolean> {
  return administering(ctx, async (inner) => {
    const [gone] = await inner.db.query<{ id: string; prefix: string }>(
      'delete from identity.scim_token where organization_id = $1 returning id, prefix',
      [inner.caller.organizationId],
    )
    if (!gone) return false
    const { id, prefix } = gone
    await appendAudit(inner, { action: 'scim_token.revoked', target: { type: 'scim_token', id }, before: { prefix } })
    return true
  })
}

/** The token of whoever leaves is none any more, also if that user comes back. In a transaction. */
export async function endScimTokenOf(ctx: RequestContext, userId: string): Promise<void> {
  const [ended] = await ctx.db.query<{ id: string; prefix: string }>(
    'delete from identity.scim_token where organization_id = $1 and created_by_id = $2 returning id, prefix',
    [ctx.caller.organizationId, userId],
  )
  if (!ended) return
  const { id, prefix } = ended
  await appendAudit(ctx, { action: 'scim_token.revoked', target: { type: 'scim_token', id }, before: { prefix } })
}

/** As it stands now, by the SHA-256 of the token; null also while who made it may not administer. */
export async function findScimToken(sql: Sql, hash: string, now: Date): Promise<ScimTokenRecord | null> {
  const [row] = await sql.query<ScimTokenRecord & { lastUsedAt: string | null }>(
    `select t.id, t.organization_id as "organizationId", o.status = 'SUSPENDED' as "organizationSuspended",
       t.last_used_at as "lastUsedAt"
     from identity.scim_token t join identity.organization o on o.id = t.organization_id
     where t.token_hash = $1 and ${makerAdministers}`,
    [hash],
  )
  if (!row) return null
  const { id, organizationId, organizationSuspended, lastUsedAt } = row
  if (lastUsedAt === null || now.getTime() - Date.parse(lastUsedAt) >= 60_000) {
    await sql.query('update identity.scim_token set last_used_at = $3 where organization_id = $1 and id = $2', [
      organizationId,
      id,
      now.toISOString(),
    ])
  }
  return { id, organizationId, organizationSuspended }
}
