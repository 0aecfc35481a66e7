import { actingCaller } from '../../identity/public.ts'
import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'

/** With what a deployment was requested. Role, visibility and field security are those of its user when it is carried out. */
export type RequestedBy = Pick<
  Caller,
  'kind' | 'userId' | 'scopes' | 'credentialId' | 'ip' | 'userAgent' | 'origin' | 'depth'
>

export const requestedBy = ({
  kind,
  userId,
  scopes,
  credentialId,
  ip,
  userAgent,
  origin,
  depth,
}: Caller): RequestedBy => ({
  kind,
  userId,
  scopes,
  credentialId,
  ip,
  userAgent,
  ...(origin && { origin }),
  ...(depth !== undefined && { depth }),
})

/** The caller of a deployment at this moment, with the scopes of the credential; null if the user may not act any more. */
export async function callerOf(sql: Sql, organizationId: string, by: RequestedBy): Promise<Caller | null> {
  const { kind, userId, scopes, credentialId, ip, userAgent, depth = 0 } = by
  const origin = by.origin ?? { kind: 'DEPLOYMENT', id: credentialId, runId: credentialId }
  const acting = await actingCaller(sql, { organizationId, userId, scopes, runAsAdmin: true, origin, depth })
  if (!acting) return null
  const { origin: _origin, ...caller } = acting
  return { ...caller, kind, credentialId, ip, userAgent, ...(by.origin && { origin: by.origin }) }
}
