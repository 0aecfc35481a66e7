import { exchangeRateSql, rateDayOf } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { TenantPredicate, type Values } from '../../kernel/record/predicate.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { customersMax, type AgingBucketKey } from './aging.types.ts'

/** A day with the moment at which it ends. */
export interface Day {
  /** As midnight UTC. */
  readonly day: string
  /** The first moment after it, in the time zone of the organization. */
  readonly end: string
  /** Whether nothing can have happened after it. */
  readonly isPresent: boolean
}

const bucketSql = (age: string): string => `case when ${age} <= 0 then 'CURRENT' when ${age} <= 30 then 'DAYS_1_30'
  when ${age} <= 60 then 'DAYS_31_60' when ${age} <= 90 then 'DAYS_61_90' else 'DAYS_OVER_90' end`

/**
 * SQL of the invoices that were open at the end of the day, with what they owed then. At present these are the open ones, in one range
 * of an index. For an earlier day there are also those that closed later, and what was paid later is added again.
 */
export function openSql(ctx: RequestContext, { day, end, isPresent }: Day, customerId: string | null, values: Values) {
  const shape = shapeFor(ctx, invoice)
  const predicate = new TenantPredicate(ctx.caller, values)
  const visible = predicate.live(shape, 't')
  const ofCustomer = customerId === null ? '' : ` and t.customer_id = ${values.add(customerId)}::uuid`
  const dayParameter = values.add(day)
  const issued = `${visible}${ofCustomer} and t.issue_date <= ${dayParameter}::timestamptz`
  const isOpen = `t.status in ('SENT', 'PARTIALLY_PAID', 'OVERDUE')`
  const columns = (alias: string) =>
    ['id', 'customer_id', 'currency', 'due_date'].map((name) => `${alias}.${name}`).join(', ')
  const age = (alias: string) => `(extract(epoch from ${dayParameter}::timestamptz - ${alias}.due_date) / 86400)::int`
  const from = readSource(shape)
  if (isPresent)
    return `select ${columns('t')}, t.amount_due as balance, ${age('t')} as age from ${from} t
      where ${issued} and ${isOpen} and t.amount_due > 0`
  const endParameter = values.add(end)
  return `select ${columns('o')}, o.amount_due + coalesce(l.amount, 0) as balance, ${age('o')} as age from (
      select ${columns('t')}, t.amount_due from ${from} t where ${issued} and ${isOpen}
      union all
      select ${columns('t')}, t.amount_due from ${from} t where ${issued} and t.closed_at >= ${endParameter}::timestamptz
    ) o left join (
      select m.invoice_id, sum(m.amount) as amount from commerce.invoice_movement m
      where m.organization_id = ${predicate.organization()} and m.moved_at >= ${endParameter}::timestamptz
      group by m.invoice_id
    ) l on l.invoice_id = o.id where o.amount_due + coalesce(l.amount, 0) > 0`
}

export interface BucketSum {
  readonly currency: string
  readonly bucket: AgingBucketKey
  readonly count: number
  readonly amount: ExactNumber
  /** Sum of the amounts times their days overdue. */
  readonly weighted: ExactNumber
}

/** The open balances at the end of a day, by currency and range of ages. */
export async function bucketSums(ctx: RequestContext, day: Day, customerId: string | null): Promise<BucketSum[]> {
  const predicate = new TenantPredicate(ctx.caller)
  ctx.answered?.aggregate(invoice)
  return ctx.db.query<BucketSum & Record<string, unknown>>(
    `select currency, bucket, count(*)::int as count, sum(balance) as amount, sum(balance * greatest(age, 0)) as weighted
     from (select o.*, ${bucketSql('o.age')} as bucket from (${openSql(ctx, day, customerId, predicate.values)}) o) b
     group by currency, bucket`,
    predicate.values.list,
    'SCAN',
  )
}

export interface CustomerSums {
  readonly customerId: string | null
  readonly oldestInvoiceId: string
  readonly current: ExactNumber
  readonly days1To30: ExactNumber
  readonly days31To60: ExactNumber
  readonly days61To90: ExactNumber
  readonly daysOver90: ExactNumber
}

const customerColumns: readonly [keyof CustomerSums, string][] = [
  ['current', 'age <= 0'],
  ['days1To30', 'age between 1 and 30'],
  ['days31To60', 'age between 31 and 60'],
  ['days61To90', 'age between 61 and 90'],
  ['daysOver90', 'age > 90'],
]

/** Stands for no customer in joins, which compare equal values only. */
const noCustomer = `'00000000-0000-0000-0000-000000000000'::uuid`

/** The customers that owed most at the end of a day, in the base currency. Amounts without a rate are left out. */
export async function customerSums(
  ctx: RequestContext,
  day: Day,
  customerId: string | null,
  base: string,
): Promise<CustomerSums[]> {
  const predicate = new TenantPredicate(ctx.caller)
  const { values } = predicate
  const open = openSql(ctx, day, customerId, values)
  const rate = exchangeRateSql({
    organizationId: values.add(ctx.caller.organizationId),
    base: values.add(base),
    currency: 'c.currency',
    day: values.add(rateDayOf(day.day)),
  })
  return ctx.db.query<CustomerSums & Record<string, unknown>>(
    `with open as materialized (${open}),
       rates as materialized (select c.currency, ${rate} as rate from (select distinct currency from open) c),
       largest as materialized (
         select o.customer_id as "customerId", coalesce(o.customer_id, ${noCustomer}) as key, sum(o.balance * r.rate) as total,
           ${customerColumns.map(([name, where]) => `coalesce(sum(o.balance * r.rate) filter (where ${where}), 0) as "${name}"`).join(', ')}
         from open o join rates r on r.currency = o.currency and r.rate is not null
         group by o.customer_id order by total desc, o.customer_id limit ${customersMax}
       ),
       oldest as (
         select distinct on (l.key) l.key, o.id from open o join largest l on l.key = coalesce(o.customer_id, ${noCustomer})
         order by l.key, o.due_date, o.id
       )
     select l.*, d.id as "oldestInvoiceId" from largest l join oldest d on d.key = l.key
     order by l.total desc, l."customerId"`,
    values.list,
    'SCAN',
  )
}
