import { seesLess } from '../identity/public.ts'
import { Refusal } from '../kernel/errors.ts'
import type { RequestContext } from '../kernel/request.ts'

/** What receives records, or changes them, is set up only by those who see all of them, and by owners. `what` says so of it. */
export function requireSightOfAll({ caller }: Pick<RequestContext, 'caller'>, what: string): void {
  if (caller.kind === 'SYSTEM' || caller.role === 'OWNER' || !seesLess(caller)) return
  const message = `You do not see all records and fields, ${what}, so you may only turn it off or delete it.`
  throw new Refusal('PERMISSION_DENIED', message, { requiredRoles: ['OWNER'] })
}
