import { hasUserWithEmail } from '../../identity/public.ts'
import type { RequestContext } from '../../kernel/request.ts'

/** Whether the address is that of a mailbox or a user of the organization. */
export async function isOwnAddress(ctx: RequestContext, email: string): Promise<boolean> {
  const [box] = await ctx.db.query(
    'select 1 from outreach.mailbox where organization_id = $1 and email = $2 and deleted_at is null limit 1',
    [ctx.caller.organizationId, email],
  )
  return box !== undefined || hasUserWithEmail(ctx, email)
}
