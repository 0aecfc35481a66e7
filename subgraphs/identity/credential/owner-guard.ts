import { isEntryWithin } from '../../kernel/address.ts'
import type { QuotaWindow } from '../../kernel/credential.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { findUser } from '../user/user.ts'

/** What a key or an app may do, as far as changes of it can say. */
interface Reach {
  readonly scopes?: readonly string[] | null | undefined
  readonly rateLimit?: { readonly limit: number; readonly window: QuotaWindow } | null | undefined
  readonly ipAllowList?: readonly string[] | null | undefined
  readonly redirectUris?: readonly string[] | null | undefined
  readonly expiresAt?: string | null | undefined
}

const windows: readonly QuotaWindow[] = ['MINUTE', 'HOUR', 'DAY']

/**
 * A key or an app acts as its owner, and so does whoever has its secret: nobody gets a secret of a user who may do more, or
 * lets one do more than that user did. Taking away, revoking and deleting stay open.
 */
export async function mayActAs({ caller, db }: RequestContext, ownerId: string): Promise<void> {
  if (caller.kind === 'SYSTEM' || caller.role === 'OWNER' || caller.userId === ownerId) return
  const owner = await findUser(db, caller.organizationId, ownerId)
  if (owner?.role !== 'OWNER') return
  const message = 'It acts as an owner: only owners get its secret or let it do more. You may narrow it or end it.'
  throw new Refusal('PERMISSION_DENIED', message, { requiredRoles: ['OWNER'] })
}

/** Refuses a change that lets what acts as somebody else do more, unless the caller may act as that user. */
export async function mayWiden(ctx: RequestContext, previous: Reach & { ownerId: string }, next: Reach): Promise<void> {
  if (isWider(previous, next)) await mayActAs(ctx, previous.ownerId)
}

/** Fields that `next` does not name stay. What no rule allows counts as wider, or is refused where it is checked. */
function isWider(previous: Reach, next: Reach): boolean {
  const held = { kind: 'API_KEY', scopes: previous.scopes ?? [] } as const
  return (
    (next.scopes ?? []).some((scope) => !holdsScope(held, scope)) ||
    (next.redirectUris ?? []).some((uri) => !previous.redirectUris?.includes(uri)) ||
    isFaster(previous.rateLimit, next.rateLimit) ||
    isFromMore(previous.ipAllowList ?? [], next.ipAllowList) ||
    isLonger(previous.expiresAt, next.expiresAt)
  )
}

function isFaster(previous: Reach['rateLimit'], next: Reach['rateLimit']): boolean {
  if (!previous || !next) return false
  return next.limit > previous.limit || windows.indexOf(next.window) < windows.indexOf(previous.window)
}

/** An empty list allows every address. */
function isFromMore(previous: readonly string[], next: Reach['ipAllowList']): boolean {
  if (next === undefined || previous.length === 0) return false
  return !next?.length || next.some((entry) => !isEntryWithin(entry, previous))
}

/** Null is never. */
function isLonger(previous: Reach['expiresAt'], next: Reach['expiresAt']): boolean {
  if (next === undefined || !previous) return false
  return next === null || Date.parse(next) > Date.parse(previous)
}
