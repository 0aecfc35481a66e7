import type { ActingUser } from './credential.ts'
import type { ErrorCode } from './errors.ts'

export type Standing = Pick<ActingUser, 'organizationSuspended' | 'ownerActive' | 'ownerInOrganization'>

/** Why nobody may act as this user, whatever the credential; null when that is no obstacle. The first that holds counts. */
export function standingRefusal(
  user: Standing,
): Extract<ErrorCode, 'ORGANIZATION_SUSPENDED' | 'API_KEY_OWNER_INACTIVE' | 'API_KEY_OWNER_NOT_IN_ORG'> | null {
  if (user.organizationSuspended) return 'ORGANIZATION_SUSPENDED'
  if (!user.ownerActive) return 'API_KEY_OWNER_INACTIVE'
  return user.ownerInOrganization ? null : 'API_KEY_OWNER_NOT_IN_ORG'
}
