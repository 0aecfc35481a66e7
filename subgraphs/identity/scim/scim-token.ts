import { Field, ID, ObjectType } from 'type-graphql'
import type { Sql } from '../../kernel/database/sql.ts'
import { newId } from '../../kernel/ids.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { deleteRow, insertRow, writeChange } from '../../kernel/record/write-change.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { newScimToken, type ScimTokenRecord } from '../../kernel/credentials/public.ts'
import { administering } from '../admin/administer.ts'
import { auditRecord } from '../audit/audit.ts'
import { creatorIsAdministrator } from './live-token.ts'

@ObjectType({ description: 'The credential of the directory that provisions users and teams by SCIM.' })
@RequiresScopes('SESSION')
export class ScimToken {
  @Field(() => Boolean, {
    simple: true,
    description:
      'True if the organization has a SCIM token that works. A token does not work while the user who created it is not an active owner or admin.',
  })
  isActive!: boolean

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: 'First characters of the token; null without a token.',
  })
  prefix!: string | null

  @Field(() => DateTime, {
    simple: true,
    nullable: true,
    description: 'When the token was created; null without a token.',
  })
  createdAt!: string | null

  @Field(() => ID, {
    simple: true,
    nullable: true,
    description: 'Id of the user who created the token; null without a token.',
  })
  createdById!: string | null

  @Field(() => DateTime, {
    simple: true,
    nullable: true,
    description: 'When the token was last used, accurate to one minute; null if it was never used.',
  })
  lastUsedAt!: string | null

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: 'The token; only in the answer that creates it, otherwise null. Never stored.',
  })
  token?: string | null
}

/** Changes of tokens are only in the audit log, not in events. */
const scimTokenChanges: TrackedObject<{ readonly id: string; readonly prefix: string }> = {
  object: 'scim_token',
  eventTypes: { DELETE: 'scim_token.revoked' },
  audit: auditRecord('scim_token', ({ prefix }) => ({ prefix })),
}

const noToken: ScimToken = { isActive: false, prefix: null, createdAt: null, createdById: null, lastUsedAt: null }

export async function readScimToken(ctx: RequestContext): Promise<ScimToken> {
  requireAdministrator(ctx)
  const [row] = await ctx.db.query<ScimToken>(
    `select ${creatorIsAdministrator} as "isActive", t.prefix, t.created_at as "createdAt", t.created_by_id as "createdById",
       t.last_used_at as "lastUsedAt"
     from identity.scim_token t where t.organization_id = $1`,
    [ctx.caller.organizationId],
  )
  return row ?? noToken
}

/** The former token stops working with the commit. */
export function rotateScimToken(ctx: RequestContext): Promise<ScimToken> {
  return administering(ctx, async (inner) => {
    const { organizationId, userId } = inner.caller
    const { token, hash, prefix } = newScimToken()
    const id = newId()
    const row = {
      organization_id: organizationId,
      id,
      token_hash: hash,
      prefix,
      created_by_id: userId,
      created_at: inner.clock.now().toISOString(),
    }
    const replacing = `on conflict (organization_id) do update set id = excluded.id, token_hash = excluded.token_hash,
      prefix = excluded.prefix, created_by_id = excluded.created_by_id, created_at = excluded.created_at, last_used_at = null`
    await writeChange(
      inner,
      scimTokenChanges,
      { operation: 'CREATE', previous: null, next: { id, prefix } },
      (values) => insertRow(values, 'identity.scim_token', row, replacing),
    )
    return { ...(await readScimToken(inner)), token }
  })
}

export const revokeScimToken = (ctx: RequestContext): Promise<boolean> =>
  administering(ctx, (inner) => endScimToken(inner, null))

/** Deletes the token of a user who leaves, so that it does not work again if the user returns. Must run in a transaction. */
export const endScimTokenOf = (ctx: RequestContext, userId: string): Promise<boolean> => endScimToken(ctx, userId)

/** Deletes the token of the organization if this user created it; null: any user. Returns false when there is none. */
async function endScimToken(ctx: RequestContext, createdById: string | null): Promise<boolean> {
  const { organizationId } = ctx.caller
  const [previous] = await ctx.db.query<{ id: string; prefix: string }>(
    `select id, prefix from identity.scim_token
     where organization_id = $1 and ($2::uuid is null or created_by_id = $2) for update`,
    [organizationId, createdById],
  )
  if (!previous) return false
  return writeChange(ctx, scimTokenChanges, { operation: 'DELETE', previous, next: previous }, (values) =>
    deleteRow(values, 'identity.scim_token', { organization_id: organizationId, id: previous.id }),
  )
}

/** Finds a token by its SHA-256; null also while its creator is not an active owner or admin. */
export async function findScimToken(sql: Sql, hash: string, now: Date): Promise<ScimTokenRecord | null> {
  const [row] = await sql.query<ScimTokenRecord & { lastUsedAt: string | null }>(
    `select t.id, t.organization_id as "organizationId", o.status = 'SUSPENDED' as "organizationSuspended",
       t.last_used_at as "lastUsedAt"
     from identity.scim_token t join identity.organization o on o.id = t.organization_id
     where t.token_hash = $1 and ${creatorIsAdministrator}`,
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
