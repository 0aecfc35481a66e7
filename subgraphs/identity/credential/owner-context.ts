import {
  requestContext,
  portsOf,
  portNames,
  type Port,
  type RequestContext,
  type Services,
} from '../../kernel/request.ts'
import { newId } from '../../kernel/ids.ts'
import { findActingUser } from './credential-source.ts'

/** The context in which the platform does what a user has scheduled or started, with the rights of the user at this moment; null if the user may not act. */
export async function ownerContext(
  services: Services,
  organizationId: string,
  userId: string | null,
): Promise<RequestContext<Port> | null> {
  const user = userId === null ? null : await findActingUser(services.database, organizationId, userId)
  if (!user || !user.ownerActive || !user.ownerInOrganization || user.role === 'READ_ONLY') return null
  const { role, visibility, ownerIds, fields, entitlements } = user
  const caller = {
    kind: 'SESSION',
    organizationId,
    userId: userId!,
    role,
    visibility,
    ownerIds,
    fields,
    entitlements,
    scopes: ['*'],
    credentialId: 'system',
    ip: '',
    userAgent: '',
  } as const
  return requestContext({ caller, requestId: newId(), idempotency: null }, services, {
    ports: portsOf(services, portNames),
  })
}
