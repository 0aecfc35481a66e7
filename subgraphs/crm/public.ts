import type { Reference } from '../kernel/record/definition.ts'
import { seenIds } from '../kernel/record/read.ts'
import { account } from './account/account.ts'

/** Which of these accounts are live and in the caller's sight. */
export const seenAccounts: Reference = (ctx, ids) => seenIds(ctx, account, ids)
