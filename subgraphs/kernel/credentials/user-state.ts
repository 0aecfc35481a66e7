import type { ActingUser } from './credential.ts'
import type { ErrorCode } from '../errors.ts'

type UserState = Pick<ActingUser, 'organizationSuspended' | 'ownerActive' | 'ownerInOrganization'>

/** The code that refuses every credential of this user, by the first condition that applies; null when the user may act. */
export function userStateRefusal(
  user: UserState,
): Extract<ErrorCode, 'ORGANIZATION_SUSPENDED' | 'API_KEY_OWNER_INACTIVE' | 'API_KEY_OWNER_NOT_IN_ORG'> | null {
  if (user.organizationSuspended) return 'ORGANIZATION_SUSPENDED'
  if (!user.ownerActive) return 'API_KEY_OWNER_INACTIVE'
  return user.ownerInOrganization ? null : 'API_KEY_OWNER_NOT_IN_ORG'
}
