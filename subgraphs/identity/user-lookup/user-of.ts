import { readReference } from '../../kernel/record/read.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { listedUser } from './listed-user.ts'

/** The user with this id, for a field of a record; null without an id. The users of one operation are read together. */
export const userOf = async (ctx: RequestContext, id: string | null | undefined, info: SelectionInfo) =>
  id ? readReference(ctx, listedUser, id, selectedFields(info)) : null
