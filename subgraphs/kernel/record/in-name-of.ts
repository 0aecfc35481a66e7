import type { RequestContext } from '../request.ts'

/** What follows from a change in the background is done in the name of whoever made the change, with the rights of the platform. */
export const inNameOf = (ctx: RequestContext, userId: string | null): RequestContext =>
  userId === null ? ctx : { ...ctx, caller: { ...ctx.caller, kind: 'SESSION', userId } }
