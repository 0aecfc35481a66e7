import type { RecordInput } from '../../kernel/record/inputs.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { type Account } from './account.ts'
import { account } from './account.record.ts'

const accounts = recordsOf(account)

/**
 * An advisory lock serializes changes of parent accounts in an organization: two concurrent changes could together form a cycle
 * that neither transaction sees.
 */
export function updateAccount(
  ctx: RequestContext,
  id: string,
  input: RecordInput<Account>,
  expectedVersion?: number | null,
): Promise<Account> {
  if (!input.parentAccountId) return accounts.update(ctx, id, input, expectedVersion)
  return inTransaction(ctx, async (inner) => {
    const lockName = `account.parent ${inner.caller.organizationId}`
    await inner.db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName])
    return accounts.update(inner, id, input, expectedVersion)
  })
}
