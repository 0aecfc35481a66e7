import type { Draft } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { inSight } from '../credential/in-sight.ts'
import { type ApiKey } from './api-key.ts'
import { apiKey } from './api-key.record.ts'

interface KeyChange {
  readonly expectedVersion?: number | null
  /** More that belongs to the change, in its transaction and before it. */
  readonly first?: (ctx: RequestContext, previous: ApiKey) => Promise<void>
}

/** Changes a key in sight, one change at a time. What changes nothing leaves no entry in the audit log. */
export function changeKey(
  ctx: RequestContext,
  id: string,
  { expectedVersion = null, first }: KeyChange,
  decide: (previous: ApiKey) => Omit<Draft<ApiKey>, 'previous' | 'expectedVersion'>,
): Promise<ApiKey> {
  return inTransaction(inSight(ctx), async (inner) => {
    await inner.db.query('select 1 from identity.api_key where organization_id = $1 and id::text = $2 for update', [
      inner.caller.organizationId,
      id,
    ])
    const decided = async (previous: ApiKey) => {
      const draft = decide(previous)
      await first?.(inner, previous)
      return draft
    }
    return change(inner, apiKey, id, decided, { expectedVersion })
  })
}
