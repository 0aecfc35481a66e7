import { exchangeRateSql } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { computedOver, Values } from '../../kernel/record/predicate.ts'
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

/** SQL of the days since the due day. */
const ageSql = (day: string, dueDate: string): string =>
  `(extract(epoch from ${day}::timestamptz - ${dueDate}) / 86400)::int`

const bucketSql = (age: string): string => `case when ${age} <= 0 then 'CURRENT' when ${age} <= 30 then 'DAYS_1_30'
  when ${age} <= 60 then 'DAYS_31_60' when ${age} <= 90 then 'DAYS_61_90' else 'DAYS_OVER_90' end`

/** The level of the periods without an end (`invoice-balance.migrations.ts`). */
const endless = 99
const dayMs = 86_400_000

/** The levels of the periods that may contain the end of a day, with the earliest moment at which such a period begins. */
function levelsAt(end: string): readonly (readonly [level: number, after: string])[] {
  const levels = Array.from({ length: 23 }, (_, level): [number, string] => {
    const after = Date.parse(end) - (2 ** level + 1) * dayMs
    return [level, after < 0 ? '-infinity' : new Date(after).toISOString()]
  })
  return [...levels, [endless, '-infinity']]
}

/** SQL of the condition on the customer; null: invoices of all customers. */
function ofCustomers(customers: readonly (string | null)[] | null, values: Values): string {
  if (customers === null) return ''
  const named = `t.customer_id = any(${values.add(customers.filter((id) => id !== null))}::uuid[])`
  return customers.includes(null) ? ` and (${named} or t.customer_id is null)` : ` and ${named}`
}

/**
 * SQL of the invoices that were open at the end of the day, with what they owed then. `offset 0` makes PostgreSQL read one short range of
 * an index for each level, instead of all periods of the organization.
 */
function openSql(
  ctx: RequestContext,
  shape: RecordShape,
  { day, end, isPresent }: Day,
  customers: readonly (string | null)[] | null,
  values: Values,
): string {
  const visible = computedOver(ctx, values).visible(shape, 't')
  const dayParameter = values.add(day)
  const issued = `t.issue_date <= ${dayParameter}::timestamptz`
  const columns = 't.invoice_id as id, t.customer_id, t.currency, t.due_date, t.balance'
  const from = `commerce.invoice_balance t where ${visible}${ofCustomers(customers, values)} and ${issued}`
  if (isPresent) return `select ${columns} from ${from} and t.level = ${endless}`
  const levels = levelsAt(end)
  const endParameter = `${values.add(end)}::timestamptz`
  const levelsParameter = values.add(levels.map(([level]) => level))
  const aftersParameter = values.add(levels.map(([, after]) => after))
  return `select ${columns} from unnest(${levelsParameter}::smallint[], ${aftersParameter}::timestamptz[]) l(level, after)
    cross join lateral (
      select t.invoice_id, t.customer_id, t.currency, t.due_date, t.balance from ${from} and t.level = l.level
        and t.since >= l.after and t.since < ${endParameter} and t.until >= ${endParameter} offset 0
    ) t`
}

export interface BucketSum {
  readonly currency: string
  readonly bucket: AgingBucketKey
  readonly count: number
  readonly amount: ExactNumber
  /** Sum of the amounts times their days overdue. */
  readonly weighted: ExactNumber
}

/** SQL of the exchange rates `rates` of the currencies in `from`; a currency without a rate has none. */
function ratesSql(ctx: RequestContext, day: Day, base: string, from: string, values: Values): string {
  const rate = exchangeRateSql({
    organizationId: values.add(ctx.caller.organizationId),
    base: values.add(base),
    currency: 'c.currency',
    day: values.add(day.day.slice(0, 10)),
  })
  return `rates as materialized (select c.currency, ${rate} as rate from (select distinct currency from ${from}) c)`
}

export interface OpenSums {
  readonly buckets: BucketSum[]
  /** The customers that owed most, in the base currency. */
  readonly largestCustomers: (string | null)[]
}

type SumRow = BucketSum & { readonly customerId: string | null; readonly isCustomer: boolean }

/** The open balances at the end of a day, by currency and range of ages, with the largest customers: the periods are read once for both. */
export async function openSums(
  ctx: RequestContext,
  day: Day,
  customerId: string | null,
  base: string,
): Promise<OpenSums> {
  const values = new Values()
  const open = openSql(ctx, shapeFor(ctx, invoice), day, customerId === null ? null : [customerId], values)
  const age = ageSql(values.add(day.day), 'due_date')
  const rows = await ctx.db.query<SumRow & Record<string, unknown>>(
    `with sums as materialized (
       select currency, due_date, customer_id, grouping(due_date) = 1 as of_customer, count(*) as n, sum(balance) as amount
       from (${open}) o group by grouping sets ((currency, due_date), (currency, customer_id))
     ), ${ratesSql(ctx, day, base, 'sums', values)},
       buckets as (
         select currency, bucket, sum(n)::int as count, sum(amount) as amount, sum(amount * greatest(age, 0)) as weighted
         from (select d.*, ${bucketSql('d.age')} as bucket from (
           select currency, n, amount, ${age} as age from sums where not of_customer) d) b
         group by currency, bucket
       ), largest as (
         select customer_id from sums join rates using (currency) where of_customer and rate is not null
         group by customer_id order by sum(amount * rate) desc, customer_id limit ${customersMax}
       )
     select currency, bucket, count, amount, weighted, null::uuid as "customerId", false as "isCustomer" from buckets
     union all select null, null, null, null, null, customer_id, true from largest`,
    values.list,
    'SCAN',
  )
  return {
    buckets: rows.filter(({ isCustomer }) => !isCustomer),
    largestCustomers: rows.filter(({ isCustomer }) => isCustomer).map((row) => row.customerId),
  }
}

/** The open balances at the end of a day by currency. */
export async function openAmounts(ctx: RequestContext, day: Day, customerId: string | null) {
  const values = new Values()
  const open = openSql(ctx, shapeFor(ctx, invoice), day, customerId === null ? null : [customerId], values)
  return ctx.db.query<{ readonly currency: string; readonly amount: ExactNumber }>(
    `select currency, sum(balance) as amount from (${open}) o group by currency`,
    values.list,
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

/** The sums of these customers at the end of a day, in the base currency. Amounts without a rate are left out. */
export async function customerSums(
  ctx: RequestContext,
  day: Day,
  customers: readonly (string | null)[],
  base: string,
): Promise<CustomerSums[]> {
  if (customers.length === 0) return []
  const values = new Values()
  const open = openSql(ctx, shapeFor(ctx, invoice), day, customers, values)
  const age = ageSql(values.add(day.day), 'due_date')
  return ctx.db.query<CustomerSums & Record<string, unknown>>(
    `with open as materialized (${open}), ${ratesSql(ctx, day, base, 'open', values)},
       known as materialized (
         select o.*, o.balance * r.rate as amount, ${age} as age
         from open o join rates r on r.currency = o.currency and r.rate is not null
       ),
       sums as (
         select customer_id, sum(amount) as total,
           ${customerColumns.map(([name, where]) => `coalesce(sum(amount) filter (where ${where}), 0) as "${name}"`).join(', ')}
         from known group by customer_id
       ),
       oldest as (select distinct on (customer_id) customer_id, id from known order by customer_id, due_date, id)
     select s.*, s.customer_id as "customerId", d.id as "oldestInvoiceId"
     from sums s join oldest d on d.customer_id is not distinct from s.customer_id order by s.total desc, s.customer_id`,
    values.list,
    'SCAN',
  )
}
