import type { Caller, Role } from './context.ts'
import { Refusal } from './errors.ts'

interface WithCaller {
  readonly caller: Pick<Caller, 'kind' | 'role' | 'entitlements'>
}

const listOf = (roles: readonly Role[]): string => new Intl.ListFormat('en', { type: 'disjunction' }).format(roles)

/** Whether the caller's user has one of these roles, with any kind of credential. */
export const hasRole = ({ caller }: WithCaller, roles: readonly Role[]): boolean =>
  caller.kind === 'SYSTEM' || (caller.kind !== 'ANONYMOUS' && roles.includes(caller.role))

/** Throws 403 unless the caller's user has one of these roles; a key or token has the role of its owner. */
export function requireRole(ctx: WithCaller, ...roles: readonly Role[]): void {
  if (hasRole(ctx, roles)) return
  throw new Refusal('PERMISSION_DENIED', `This operation requires the role ${listOf(roles)}.`, { requiredRoles: roles })
}

export const requireAdministrator = (ctx: WithCaller): void => requireRole(ctx, 'OWNER', 'ADMIN')

const isEntitled = ({ caller }: WithCaller, feature: string): boolean =>
  caller.kind === 'SYSTEM' || caller.entitlements.includes(feature)

/** Throws 402 unless the plan of the caller's organization includes the feature. */
export function requireEntitlement(ctx: WithCaller, feature: string): void {
  if (isEntitled(ctx, feature)) return
  throw new Refusal('ENTITLEMENT_REQUIRED', `The plan of your organization does not include ${feature}.`, {
    requiredEntitlement: feature,
  })
}
