import type { Draft } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { withCredentialVisibility } from '../credential/credential-visibility.ts'
import { type ApiKey } from './api-key.ts'
import { apiKey } from './api-key.record.ts'

type KeyDraft = Omit<Draft<ApiKey>, 'previous' | 'expectedVersion'>

interface KeyChange {
  readonly expectedVersion?: number | null
  /** Runs in the transaction of the change, before it: what it refuses is refused whatever the state of the key. */
  readonly beforeChange?: (ctx: RequestContext, previous: ApiKey) => Promise<void>
}

/** Changes a key that the caller manages. Concurrent changes of a key are serialized. A call that changes nothing writes no audit entry. */
export function changeKey(
  ctx: RequestContext,
  id: string,
  { expectedVersion = null, beforeChange }: KeyChange,
  decide: (previous: ApiKey) => KeyDraft | Promise<KeyDraft>,
): Promise<ApiKey> {
  return inTransaction(withCredentialVisibility(ctx), async (inner) => {
    await inner.db.query('select 1 from identity.api_key where organization_id = $1 and id::text = $2 for update', [
      inner.caller.organizationId,
      id,
    ])
    const decided = async (previous: ApiKey) => {
      await beforeChange?.(inner, previous)
      return decide(previous)
    }
    return change(inner, apiKey, id, decided, { expectedVersion })
  })
}
