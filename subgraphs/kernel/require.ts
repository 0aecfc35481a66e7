import type { Caller, Role } from './context.ts'
import { Refusal } from './errors.ts'

interface Asking {
  readonly caller: Pick<Caller, 'kind' | 'role' | 'entitlements'>
}

const inWords = (roles: readonly Role[]): string => new Intl.ListFormat('en', { type: 'disjunction' }).format(roles)

/** Whether the caller's user has one of these roles, with any kind of credential. */
const hasRole = ({ caller }: Asking, roles: readonly Role[]): boolean =>
  caller.kind === 'SYSTEM' || (caller.kind !== 'ANONYMOUS' && roles.includes(caller.role))

/** Throws 403 unless the caller's user has one of these roles; a key or token has the role of its owner. */
export function requireRole(ctx: Asking, ...roles: readonly Role[]): void {
  if (hasRole(ctx, roles)) return
  throw new Refusal('PERMISSION_DENIED', `This needs the role ${inWords(roles)}.`, { requiredRoles: roles })
}

export const requireAdministrator = (ctx: Asking): void => requireRole(ctx, 'OWNER', 'ADMIN')

const isEntitled = ({ caller }: Asking, feature: string): boolean =>
  caller.kind === 'SYSTEM' || caller.entitlements.includes(feature)

/** Throws 402 unless the plan of the caller's organization includes the feature. */
export function requireEntitlement(ctx: Asking, feature: string): void {
  if (isEntitled(ctx, feature)) return
  throw new Refusal('ENTITLEMENT_REQUIRED', `The plan of your organization does not include ${feature}.`, {
    requiredEntitlement: feature,
  })
}
