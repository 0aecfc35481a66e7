import { Refusal } from '../../kernel/errors.ts'
import { lockOf } from '../../kernel/database/locks.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { payment } from './payment.record.ts'

/** For so long after a payment, another one of the customer with its reference is taken for the same payment. */
export const duplicateHours = 24

/** What a reference means for the comparison, without what differs between two copies of it. */
const compared = 'commerce.reference_key($3::text)'

/**
 * Refuses with 409 a reference that another payment of the customer has, whoever sees that one, if it was recorded within the last hours and was not returned
 * as a whole. Payments of a customer with the same reference wait for each other until the transaction ends.
 */
export async function requireNewReference(
  ctx: RequestContext,
  customerId: string | null,
  reference: string | null | undefined,
): Promise<void> {
  if (customerId === null || reference == null) return
  const { caller, clock, db } = ctx
  const values = [caller.organizationId, customerId, reference]
  await db.query(
    `select pg_advisory_xact_lock(${lockOf('paymentReferences', `concat_ws(' ', $1::text, $2::text, ${compared})`)})`,
    values,
  )
  const since = new Date(clock.now().getTime() - duplicateHours * 3_600_000).toISOString()
  const [found] = await db.query<{ id: string }>(
    `select id from commerce.payment where organization_id = $1 and account_id = $2 and reference_key = (select ${compared})
       and created_at > $4 and status <> 'REFUNDED' order by created_at desc, id limit 1`,
    [...values, since],
  )
  if (!found) return
  const message = `Another payment of the customer with this reference was recorded within the last ${duplicateHours} hours; set allowDuplicateReference to record it again.`
  throw new Refusal('DUPLICATE_DETECTED', message, {
    errors: [
      {
        path: 'reference',
        code: 'DUPLICATE',
        message,
        ...((await isSeen(ctx, found.id)) && { conflictingId: found.id }),
      },
    ],
  })
}

async function isSeen(ctx: RequestContext, id: string): Promise<boolean> {
  if (isHidden(ctx.caller, invoice, 'payments') || isHidden(ctx.caller, invoice, 'refunds')) return false
  return (await visibleIds(ctx, payment, [id])).has(id)
}
