import type { RequestContext } from '../request.ts'
import { cutoff } from './idempotency.ts'

/** The operation whose answer is stored for a key of the caller; null if there is none. */
export async function operationOfKey(
  { db, caller, clock }: Pick<RequestContext, 'db' | 'caller' | 'clock'>,
  key: string,
): Promise<string | null> {
  const [row] = await db.query<{ operationId: string }>(
    `select operation_id as "operationId" from kernel.idempotency
     where organization_id = $1 and credential_id = $2 and key = $3 and created_at > $4 and operation_id is not null
     order by created_at limit 1`,
    [caller.organizationId, caller.credentialId, key, cutoff({ clock })],
  )
  return row?.operationId ?? null
}
