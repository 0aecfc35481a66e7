import type { RequestContext } from '../../kernel/request.ts'

/** What follows from a deletion is done in the name of whoever deleted the record, with the rights of the platform. */
export const inNameOf = (ctx: RequestContext, userId: string | null): RequestContext =>
  userId === null ? ctx : { ...ctx, caller: { ...ctx.caller, kind: 'SESSION', userId } }
