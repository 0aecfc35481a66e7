import type { Sender } from '../../identity/public.ts'
import { newId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'

/** The context in which records are read as a user sees them, in the transaction of `ctx`. */
export const asSender = (ctx: RequestContext, sender: Sender): RequestContext => {
  const { id: userId, role, visibility, ownerIds, fields, entitlements } = sender
  const caller = { ...ctx.caller, kind: 'SESSION' as const, userId, role, visibility, ownerIds, fields, entitlements }
  return { ...ctx, caller, requestId: newId(), batches: new Map(), answered: null }
}
