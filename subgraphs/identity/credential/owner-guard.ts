import { isEntryWithin } from '../../kernel/network/address.ts'
import type { QuotaWindow } from '../../kernel/credentials/public.ts'
import type { Caller } from '../../kernel/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { findUser } from '../user/user.ts'

/** The rights of a key or an app that can be changed. */
interface Rights {
  readonly scopes?: readonly string[] | null | undefined
  readonly rateLimit?: { readonly limit: number; readonly window: QuotaWindow } | null | undefined
  readonly ipAllowList?: readonly string[] | null | undefined
  readonly redirectUris?: readonly string[] | null | undefined
  readonly expiresAt?: string | null | undefined
}

const windows: readonly QuotaWindow[] = ['MINUTE', 'HOUR', 'DAY']

/** Whether the records or fields that the caller sees are restricted. */
export const seesLess = ({ ownerIds, fields }: Pick<Caller, 'ownerIds' | 'fields'>): boolean =>
  ownerIds !== null || fields !== null

/**
 * A key, an app or a webhook acts as its owner, and so does everybody who has its secret. Therefore a caller must not get the secret of an
 * owner's key, or extend its rights, unless the caller is an owner too; and an admin who does not see all records and fields must not act
 * as anybody else. Restricting, revoking and deleting are always allowed.
 */
export async function requireRightToActAs({ caller, db }: RequestContext, ownerId: string): Promise<void> {
  if (caller.kind === 'SYSTEM' || caller.role === 'OWNER' || caller.userId === ownerId) return
  if (seesLess(caller)) {
    const message = 'You do not see all records and fields, so you may only act as yourself, not as another user.'
    throw new Refusal('PERMISSION_DENIED', message, { requiredRoles: ['OWNER'] })
  }
  const owner = await findUser(db, caller.organizationId, ownerId)
  if (owner?.role !== 'OWNER') return
  const message =
    'This credential acts as an owner, so only owners may get its secret or extend its rights. You may restrict, revoke or delete it.'
  throw new Refusal('PERMISSION_DENIED', message, { requiredRoles: ['OWNER'] })
}

/** Refuses a change that extends the rights of a key or an app of another user, unless the caller may act as that user. */
export async function requireRightToExtend(
  ctx: RequestContext,
  previous: Rights & { ownerId: string },
  next: Rights,
): Promise<void> {
  if (hasMoreRights(previous, next)) await requireRightToActAs(ctx, previous.ownerId)
}

/**
 * Whether `next` has more rights. Fields that it does not name are unchanged. Invalid values count as more rights, or are refused by
 * other checks.
 */
function hasMoreRights(previous: Rights, next: Rights): boolean {
  const held = { kind: 'API_KEY', scopes: previous.scopes ?? [] } as const
  return (
    (next.scopes ?? []).some((scope) => !holdsScope(held, scope)) ||
    (next.redirectUris ?? []).some((uri) => !previous.redirectUris?.includes(uri)) ||
    hasHigherLimit(previous.rateLimit, next.rateLimit) ||
    allowsMoreAddresses(previous.ipAllowList ?? [], next.ipAllowList) ||
    expiresLater(previous.expiresAt, next.expiresAt)
  )
}

function hasHigherLimit(previous: Rights['rateLimit'], next: Rights['rateLimit']): boolean {
  if (!previous || !next) return false
  return next.limit > previous.limit || windows.indexOf(next.window) < windows.indexOf(previous.window)
}

/** Whether `next` allows more addresses. An empty list allows every address. */
function allowsMoreAddresses(previous: readonly string[], next: Rights['ipAllowList']): boolean {
  if (next === undefined || previous.length === 0) return false
  return !next?.length || next.some((entry) => !isEntryWithin(entry, previous))
}

/** Whether `next` expires later. Null means never. */
function expiresLater(previous: Rights['expiresAt'], next: Rights['expiresAt']): boolean {
  if (next === undefined || !previous) return false
  return next === null || Date.parse(next) > Date.parse(previous)
}
