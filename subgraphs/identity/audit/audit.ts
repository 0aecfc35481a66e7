import { actorIdOf } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'

export interface AuditEntry {
  /** `<object>.<past participle>`: `api_key.rotated`. */
  readonly action: `${string}.${string}`
  readonly target: { readonly type: string; readonly id: string }
  /** The target before the change; absent when it is new. */
  readonly before?: object | null
  /** The target after the change; absent when it is gone. */
  readonly after?: object | null
}

type Members = Readonly<Record<string, unknown>>

/** Says what is secret by its name, should a caller hand in more than it may. `previousSecretExpiresAt` is a date and stays. */
const secretName = /secret$|hash$|password$|token$|^code$/i

const withoutSecrets = (record: object): Members =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !secretName.test(name)))

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** What differs, when there are both; otherwise the whole of the one there is. Never a secret. */
export function auditedChange({ before, after }: Pick<AuditEntry, 'before' | 'after'>): {
  readonly before: Members | null
  readonly after: Members | null
} {
  const old = before ? withoutSecrets(before) : null
  const next = after ? withoutSecrets(after) : null
  if (!old || !next) return { before: old, after: next }
  const differing = (one: Members, other: Members): Members =>
    Object.fromEntries(Object.entries(one).filter(([name, value]) => !isSame(value, other[name])))
  return { before: differing(old, next), after: differing(next, old) }
}

/**
 * Adds an entry to the audit log of the caller's organization, in the transaction of `ctx`: call it in the one that makes
 * the change. Entries are never changed or removed; the database refuses it.
 */
export async function appendAudit(ctx: RequestContext, entry: AuditEntry): Promise<void> {
  const { caller, requestId } = ctx
  const { action, target } = entry
  const { before, after } = auditedChange(entry)
  await ctx.db.query(
    `insert into identity.audit_entry (organization_id, id, created_at, actor_id, actor_kind, credential_id, ip, user_agent,
       request_id, action, target_type, target_id, before, after)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      caller.organizationId,
      newId(),
      ctx.clock.now().toISOString(),
      actorIdOf(caller) || null,
      caller.kind,
      caller.credentialId || null,
      caller.ip || null,
      caller.userAgent || null,
      requestId,
      action,
      target.type,
      target.id,
      before && JSON.stringify(before),
      after && JSON.stringify(after),
    ],
  )
}
