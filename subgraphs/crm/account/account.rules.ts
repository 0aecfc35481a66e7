import type { FieldProblem } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Account } from './account.ts'

type ParentFields = Pick<Account, 'id' | 'parentAccountId' | 'organizationId'>

export function parentIsAnotherAccount(next: ParentFields): FieldProblem[] {
  if (next.parentAccountId !== next.id) return []
  return [
    { path: 'parentAccountId', code: 'CIRCULAR', message: 'parentAccountId must not be the id of the account itself.' },
  ]
}

/** An account must not be its own ancestor. Only a change of an existing account can form a cycle, so a new account is not checked. */
export async function parentsFormNoCycle(
  ctx: RequestContext,
  next: ParentFields,
  previous: ParentFields | null,
): Promise<FieldProblem[]> {
  if (!previous || !next.parentAccountId || next.parentAccountId === previous.parentAccountId) return []
  const [row] = await ctx.db.query<{ circular: boolean }>(
    `with recursive ancestor as (
       select id, parent_account_id from crm.account where organization_id = $1 and id = $2
       union
       select a.id, a.parent_account_id from crm.account a join ancestor on a.organization_id = $1 and a.id = ancestor.parent_account_id
     )
     select exists (select 1 from ancestor where id = $3) as circular`,
    [next.organizationId, next.parentAccountId, next.id],
  )
  if (!row?.circular) return []
  return [
    {
      path: 'parentAccountId',
      code: 'CIRCULAR',
      message: 'parentAccountId must not be an account below this account.',
    },
  ]
}
