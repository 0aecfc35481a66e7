import { actorIdOf } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import type { AuditedChange, TrackedObject, StatementValues } from '../../kernel/record/event-types.ts'
import type { RequestContext } from '../../kernel/request.ts'

export interface AuditEntry {
  /** `<object>.<past participle>`: `api_key.rotated`. */
  readonly action: `${string}.${string}`
  readonly target: { readonly type: string; readonly id: string }
  /** The target before the change; absent when it is new. */
  readonly before?: object | null
  /** The target after the change; absent when it was deleted. */
  readonly after?: object | null
}

type Members = Readonly<Record<string, unknown>>

/** Names of secrets. They are removed even if a caller passes them by mistake. `previousSecretExpiresAt` is a date and does not match. */
const secretName = /secret$|hash$|password$|token$|^code$/i

const withoutSecrets = (record: object): Members =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !secretName.test(name)))

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** With both records, only the values that differ; with one record, all its values. Secrets are removed. */
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
 * `insert into identity.audit_entry ...` as a part of a statement: one entry for each row of `when`, a query of the same statement.
 * Entries are never changed or removed; the database refuses it.
 */
function auditInsert(ctx: RequestContext, values: StatementValues, entry: AuditEntry, when: string): string {
  const { caller, requestId } = ctx
  const { action, target } = entry
  const { before, after } = auditedChange(entry)
  const columns: readonly (readonly [column: string, type: string, value: unknown])[] = [
    ['organization_id', 'uuid', caller.organizationId],
    ['id', 'uuid', newId()],
    ['created_at', 'timestamptz', ctx.clock.now().toISOString()],
    ['actor_id', 'uuid', actorIdOf(caller) || null],
    ['actor_kind', 'text', caller.kind],
    ['credential_id', 'text', caller.credentialId || null],
    ['ip', 'text', caller.ip || null],
    ['user_agent', 'text', caller.userAgent || null],
    ['request_id', 'text', requestId],
    ['action', 'text', action],
    ['target_type', 'text', target.type],
    ['target_id', 'text', target.id],
    ['before', 'jsonb', before && JSON.stringify(before)],
    ['after', 'jsonb', after && JSON.stringify(after)],
  ]
  const names = columns.map(([column]) => column).join(', ')
  const selected = columns.map(([, type, value]) => `${values.add(value)}::${type}`).join(', ')
  return `insert into identity.audit_entry (${names}) select ${selected} from ${when}`
}

type Audit<T extends object> = NonNullable<TrackedObject<T>['audit']>

/** Returns the `audit` function of a definition. `entryOf` selects the values of a change for the entry. */
export const auditChange =
  <T extends object>(
    type: string,
    entryOf: (change: AuditedChange<T>) => Pick<AuditEntry, 'before' | 'after'>,
  ): Audit<T> =>
  (ctx, values, change, when) => {
    const { id } = change.next as { readonly id: string }
    const entry = { action: change.action as AuditEntry['action'], target: { type, id }, ...entryOf(change) }
    return auditInsert(ctx, values, entry, when)
  }

/** Like `auditChange`. `of` selects the values of a record for the entry, before and after the change. */
export const auditRecord = <T extends object>(type: string, of: (record: T) => object): Audit<T> =>
  auditChange<T>(type, ({ operation, previous, next }) => ({
    before: previous && of(previous),
    after: operation === 'DELETE' ? null : of(next),
  }))
