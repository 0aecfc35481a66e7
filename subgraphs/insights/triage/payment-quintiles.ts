import type { Sql } from '../../kernel/database/sql.ts'
import { exchangeRateSql } from '../../identity/public.ts'

/** Days of payments that count. */
export const paymentDays = 365
/** Fewer paying accounts say nothing about a fifth of them. */
export const payingAccountsMin = 25
/** So many paying accounts stand for all of them. */
const payingAccountsMax = 10_000

/** The values at 20, 40, 60 and 80 % of the paying accounts. */
type Cuts = readonly [number, number, number, number]

/** How the payments of the accounts of an organization are distributed: when the last one was, in days, how many there were, and how much. */
export interface PaymentQuintiles {
  readonly recency: Cuts
  readonly frequency: Cuts
  readonly monetary: Cuts
}

/** Payments of an account in the last year, in the base currency. */
export interface AccountPayments {
  readonly lastDays: number
  readonly count: number
  readonly amount: number
}

export interface Rfm {
  readonly recency: number
  readonly frequency: number
  readonly monetary: number
}

/** The fifth of the accounts to which a value belongs, 1 the lowest; where many are equal, the middle one of their fifths. */
export function quintileOf(value: number, cuts: Cuts): number {
  const below = cuts.filter((cut) => cut < value).length
  const upTo = cuts.filter((cut) => cut <= value).length
  return 1 + Math.floor((below + upTo) / 2)
}

/** 5 is the best of each. An account that has paid before, but not in the last year, has 1. */
export const rfmOf = (payments: AccountPayments | null, quintiles: PaymentQuintiles): Rfm =>
  payments
    ? {
        recency: 6 - quintileOf(payments.lastDays, quintiles.recency),
        frequency: quintileOf(payments.count, quintiles.frequency),
        monetary: quintileOf(payments.amount, quintiles.monetary),
      }
    : { recency: 1, frequency: 1, monetary: 1 }

interface Moment {
  readonly organizationId: string
  readonly now: Date
  readonly base: string
  /** The day of `now` in the zone of the organization. */
  readonly day: string
}

/**
 * The payments of the last year by account, of the invoices that the condition selects; `$1` is the time, `$2` the organization, `$5` the base
 * currency, `$6` the day. Those without a rate count, but have no amount.
 */
export const paymentsSql = (condition: string): string => `
  select i.customer_id as account_id,
    min(p.age) filter (where p.age <= ${paymentDays}) as last_days,
    count(*) filter (where p.age <= ${paymentDays})::int as count,
    coalesce(sum(p.amount * i.rate) filter (where p.age <= ${paymentDays}), 0)::float8 as amount,
    (array_agg(i.id order by p.age, i.id))[1:5] as ids
  from (
    select customer_id, id, payments, ${exchangeRateSql({ organizationId: '$2', base: '$5::text', currency: 'currency', day: '$6::text' })} as rate
    from commerce.invoice where organization_id = $2 and deleted_at is null and payments <> '[]' and ${condition}
  ) i cross join lateral (
    select date_part('epoch', $1::timestamptz - (item ->> 'paidAt')::timestamptz) / 86400 as age, (item ->> 'amount')::numeric as amount
    from jsonb_array_elements(i.payments) item where item ->> 'status' = 'SUCCEEDED'
  ) p where p.age >= 0 group by i.customer_id`

const cut = (column: string, name: string): string =>
  `percentile_disc(array[0.2, 0.4, 0.6, 0.8]) within group (order by ${column}) as ${name}`

/** The distribution of the payments of at most ten thousand paying accounts, chosen by a digest of their ids; null for too few. */
export async function paymentQuintiles(
  sql: Sql,
  { organizationId, now, base, day }: Moment,
): Promise<PaymentQuintiles | null> {
  const [row] = await sql.query<PaymentQuintiles & { accounts: number }>(
    `with paying as (
       select customer_id as id from commerce.invoice
       where organization_id = $2 and deleted_at is null and customer_id is not null
         and last_payment_at > $1::timestamptz - make_interval(days => $4::int)
       group by customer_id order by md5(customer_id::text) limit $3
     )
     select count(*)::int as accounts, ${cut('last_days', 'recency')}, ${cut('count', 'frequency')}, ${cut('amount', 'monetary')}
     from (${paymentsSql('customer_id in (select id from paying)')}) paid where count > 0`,
    [now.toISOString(), organizationId, payingAccountsMax, paymentDays, base, day],
    'SCAN',
  )
  if (!row || row.accounts < payingAccountsMin) return null
  const { recency, frequency, monetary } = row
  return { recency, frequency, monetary }
}
