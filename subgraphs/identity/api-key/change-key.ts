import type { Draft } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { inSight } from '../credential/in-sight.ts'
import { apiKey, type ApiKey } from './api-key.ts'

/** What the audit log says of a key: what it may do, nothing of its use. */
const audited = (key: ApiKey) => ({
  ownerId: key.ownerId,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  rateLimit: key.rateLimit,
  ipAllowList: key.ipAllowList,
  expiresAt: key.expiresAt,
  revokedAt: key.revokedAt,
  previousSecretExpiresAt: key.previousSecretExpiresAt,
})

export type KeyAction = 'created' | 'updated' | 'rotated' | 'revoked' | 'deleted'

/** Every create, update, rotate, revoke and delete is in the audit log (specification, Authentication, 5). */
export function auditKey(
  ctx: RequestContext,
  action: KeyAction,
  before: ApiKey | null,
  after: ApiKey | null,
): Promise<void> {
  const { id } = (after ?? before)!
  return appendAudit(ctx, {
    action: `api_key.${action}`,
    target: { type: 'api_key', id },
    before: before && audited(before),
    after: after && audited(after),
  })
}

interface KeyChange {
  readonly action: KeyAction
  readonly expectedVersion?: number | null
  /** More that belongs to the change, in its transaction and before it. */
  readonly first?: (ctx: RequestContext, previous: ApiKey) => Promise<void>
}

/** Changes a key in sight, one change at a time, with its audit entry in the same transaction. What changes nothing leaves none. */
export function changeKey(
  ctx: RequestContext,
  id: string,
  { action, expectedVersion = null, first }: KeyChange,
  decide: (previous: ApiKey) => Omit<Draft<ApiKey>, 'previous' | 'expectedVersion'>,
): Promise<ApiKey> {
  return inTransaction(inSight(ctx), async (inner) => {
    await inner.db.query('select 1 from identity.api_key where organization_id = $1 and id::text = $2 for update', [
      inner.caller.organizationId,
      id,
    ])
    let before: ApiKey | null = null
    const decided = async (previous: ApiKey) => {
      before = previous
      const draft = decide(previous)
      await first?.(inner, previous)
      return draft
    }
    const after = await change(inner, apiKey, id, decided, { expectedVersion })
    if (before && after !== before) await auditKey(inner, action, before, action === 'deleted' ? null : after)
    return after
  })
}
