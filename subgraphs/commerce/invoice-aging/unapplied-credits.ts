import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { computedOver, Values } from '../../kernel/record/predicate.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { creditNote } from '../credit-note/credit-note.record.ts'
import type { Day } from './open-balances.ts'

/** What was left at the end of a day of the credit notes that were issued by then. */
export interface UnappliedCredit {
  readonly customerId: string | null
  readonly currency: string
  readonly amount: ExactNumber
}

const needed = ['issueDate', 'total', 'amountLeft', 'applications', 'refunds', 'voidedAt'] as const

/** Whether the profile of the caller hides what the figure consists of. */
export const hidesCredits = ({ caller }: RequestContext, ofCustomers: boolean): boolean =>
  [...needed, ...(ofCustomers ? (['customerId'] as const) : [])].some((name) => isHidden(caller, creditNote, name))

const sumSql = (list: string, where: string): string =>
  `coalesce((select sum((e ->> 'amount')::numeric) from jsonb_array_elements(${list}) e where ${where}), 0)`

/** SQL of the credit notes with what was left of them at the end of the day. At present that is a column with an index. */
function creditSql(
  ctx: RequestContext,
  { day, end, isPresent }: Day,
  customers: readonly string[] | null,
  values: Values,
) {
  const shape = shapeFor(ctx, creditNote)
  const ofCustomers = customers ? ` and t.customer_id = any(${values.add(customers)}::uuid[])` : ''
  const from = `${readSource(shape)} t where ${computedOver(ctx, values).live(shape, 't')}${ofCustomers}
    and t.issue_date <= ${values.add(day)}::timestamptz`
  if (isPresent) return `select t.customer_id, t.currency, t.amount_left as amount from ${from} and t.amount_left > 0`
  const moment = `${values.add(end)}::timestamptz`
  const isBefore = (name: string) => `(e ->> '${name}')::timestamptz < ${moment}`
  const applied = sumSql('t.applications', `${isBefore('appliedAt')} and (${isBefore('reversedAt')}) is not true`)
  const refunded = sumSql('t.refunds', isBefore('refundedAt'))
  return `select t.customer_id, t.currency, t.total - ${applied} - ${refunded} as amount
    from ${from} and t.status <> 'DRAFT' and (t.voided_at is null or t.voided_at >= ${moment})`
}

/** The credit that was left at the end of a day by currency, of one customer or of all. */
export function unappliedAmounts(ctx: RequestContext, day: Day, customerId: string | null) {
  const values = new Values()
  const credits = creditSql(ctx, day, customerId === null ? null : [customerId], values)
  return ctx.db.query<Omit<UnappliedCredit, 'customerId'> & Record<string, unknown>>(
    `select currency, sum(amount) as amount from (${credits}) c group by currency`,
    values.list,
    'SCAN',
  )
}

/** The same of each of these customers. */
export async function unappliedOfCustomers(
  ctx: RequestContext,
  day: Day,
  customers: readonly string[],
): Promise<UnappliedCredit[]> {
  if (customers.length === 0) return []
  const values = new Values()
  return ctx.db.query<UnappliedCredit & Record<string, unknown>>(
    `select customer_id as "customerId", currency, sum(amount) as amount
     from (${creditSql(ctx, day, customers, values)}) c group by customer_id, currency`,
    values.list,
    'SCAN',
  )
}
