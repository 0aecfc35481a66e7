import { exchangeRateSql } from '../../identity/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { kDefault, halfLifeDaysDefault } from '../engagement/decay.ts'
import { sumSql } from '../engagement/stored/engagement.jobs.ts'
import { pointsSql } from '../engagement/stored/channels.ts'
import { paymentsSql, type AccountPayments } from './payment-quintiles.ts'

/** What is known of an account at a moment, from all its data. Null: there are no data of the kind. */
export interface AccountFacts {
  readonly id: string
  /** S of F1 and its k; null without activities. */
  readonly engagementSum: number | null
  readonly k: number
  /** Points, and uses of the product, of the last 14 days, the 14 before and the 14 before those. */
  readonly points: readonly [number, number, number]
  readonly uses: readonly [number, number, number]
  /** Days since the last activity that counts, within the lookback; null without one. */
  readonly silenceDays: number | null
  readonly lastActivityId: string | null
  readonly ageDays: number
  readonly championsLeft: readonly string[]
  readonly championsActive: number
  readonly contacts: number
  readonly contactsActive: number
  readonly hasDecisionMaker: boolean
  readonly cases: number
  readonly urgentCount: number
  readonly urgentCases: readonly string[]
  /** Those of `urgentCases` that nobody has escalated. */
  readonly toEscalate: readonly string[]
  readonly otherOpenCases: number
  readonly recentCases: number
  readonly reopenedCases: readonly string[]
  readonly reopenedCount: number
  readonly invoices: number
  readonly balance: number
  readonly overdue: number
  readonly longOverdue: number
  readonly overdueInvoices: readonly string[]
  readonly renewalDays: number | null
  readonly renewedDealId: string | null
  readonly openRenewals: readonly string[]
  readonly revenue: ExactNumber | null
  /** Whether an account without any activity has ever paid, and what it has paid in the last year; null without payments in it. */
  readonly hasPaid: boolean
  readonly payments: AccountPayments | null
  readonly paidInvoices: readonly string[]
  /** The highest health of the last 30 days before this one; null without any. */
  readonly healthBefore: number | null
}

const evidenceMax = 5
/** The first ids of the rows that the condition selects. */
const ids = (ordered: string, condition: string): string =>
  `coalesce((array_agg(${ordered}) filter (where ${condition}))[1:${evidenceMax}], '{}')`

interface Asked {
  readonly organizationId: string
  readonly accountIds: readonly string[]
  readonly now: Date
  readonly lookbackDays: number
  readonly base: string
  /** The day of `now` in the zone of the organization. */
  readonly day: string
}

const window = (column: string, number: number): string =>
  `coalesce(sum(${column}) filter (where age > ${14 * number} and age <= ${14 * (number + 1)}), 0)::float8`

/** Days of invoices are stored as their midnight in UTC. */
const today = `($6::date::timestamp at time zone 'UTC')`

const rate = (currency: string): string =>
  exchangeRateSql({ organizationId: '$2', base: '$5::text', currency, day: '$6::text' })

/**
 * The facts of accounts, in one statement that reads each index once for all of them. Amounts are in the base currency, with the rates of the
 * day; those without a rate do not count.
 */
export async function accountFacts(
  sql: Sql,
  { organizationId, accountIds, now, lookbackDays, base, day }: Asked,
): Promise<AccountFacts[]> {
  return sql.query<AccountFacts & Record<string, unknown>>(
    `with wanted as (select unnest($3::uuid[]) as id),
     acts as (
       select a.account_id, a.id, a.type = 'PRODUCT_USAGE' and not a.is_automated as is_use, ${pointsSql} as points, date_part('epoch', $1::timestamptz - a.occurred_at) / 86400 as age
       from crm.activity a where a.organization_id = $2 and a.account_id = any($3::uuid[]) and a.deleted_at is null
         and a.occurred_at <= $1::timestamptz and a.occurred_at > $1::timestamptz - make_interval(days => greatest(42, $4::int))
     ), activity as (
       select account_id, array[${[0, 1, 2].map((n) => window('points', n)).join(', ')}] as points,
         array[${[0, 1, 2].map((n) => window('is_use::int', n)).join(', ')}] as uses,
         min(age) filter (where points > 0 and age <= $4::int) as silence,
         (array_agg(id order by age) filter (where points > 0))[1] as last_id
       from acts group by account_id
     ), people as (
       select c.account_id, count(*)::int as contacts,
         ${ids('c.id order by c.id', `c.buying_role = 'CHAMPION' and c.status = 'INACTIVE'`)} as champions_left,
         count(*) filter (where c.buying_role = 'CHAMPION' and c.status = 'ACTIVE')::int as champions_active,
         count(*) filter (where c.last_activity_date > $1::timestamptz - interval '90 days')::int as active,
         coalesce(bool_or(c.buying_role = 'DECISION_MAKER' and c.last_activity_date > $1::timestamptz - interval '90 days'), false)
           as has_decision_maker
       from crm.contact c where c.organization_id = $2 and c.account_id = any($3::uuid[]) and c.deleted_at is null group by c.account_id
     ), support as (
       select c.account_id, count(*)::int as cases,
         ${ids('c.id order by c.created_at desc, c.id', `c.open and c.urgent`)} as urgent,
         ${ids('c.id order by c.created_at desc, c.id', `c.open and c.urgent and c.status <> 'ESCALATED'`)} as to_escalate,
         count(*) filter (where c.open and c.urgent)::int as urgent_count,
         count(*) filter (where c.open and not c.urgent)::int as others,
         count(*) filter (where c.recent)::int as recent,
         count(*) filter (where c.recent and c.reopen_count > 0)::int as reopened_count,
         ${ids('c.id order by c.created_at desc, c.id', `c.recent and c.reopen_count > 0`)} as reopened
       from (select account_id, id, created_at, status, reopen_count, status not in ('RESOLVED', 'CLOSED') as open,
           priority = 'URGENT' or status = 'ESCALATED' as urgent,
           created_at > $1::timestamptz - make_interval(days => $4::int) as recent
         from support."case" where organization_id = $2 and account_id = any($3::uuid[]) and deleted_at is null) c
       group by c.account_id
     ), bills as (
       select i.customer_id as account_id, count(*)::int as invoices,
         coalesce(sum(i.due) filter (where i.open), 0)::float8 as balance,
         coalesce(sum(i.due) filter (where i.open and i.due_date < ${today}), 0)::float8 as overdue,
         coalesce(sum(i.due) filter (where i.open and i.due_date < ${today} - interval '30 days'), 0)::float8 as long_overdue,
         ${ids('i.id order by i.due_date, i.id', `i.open and i.due_date < ${today} - interval '30 days'`)} as overdue_ids,
         sum(i.total) filter (where i.issue_date > $1::timestamptz - interval '12 months') as revenue
       from (select customer_id, id, due_date, issue_date, status in ('SENT', 'PARTIALLY_PAID', 'OVERDUE') as open,
           amount_due * ${rate('currency')} as due, total * ${rate('currency')} as total
         from commerce.invoice where organization_id = $2 and customer_id = any($3::uuid[]) and deleted_at is null
           and status not in ('DRAFT', 'VOID') and issue_date <= $1::timestamptz) i
       group by i.customer_id
     ), paid as (
       ${paymentsSql(`customer_id = any($3::uuid[]) and not exists (
         select from insights.engagement s where s.organization_id = $2 and s.object = 'account' and s.record_id = customer_id and s.total > 0)`)}
     ), deals as (
       select o.account_id, sum(o.base_amount) filter (where o.is_won and o.closed_at > $1::timestamptz - interval '12 months') as revenue,
         max(o.closed_at) filter (where o.is_won) as won_at,
         (array_agg(o.id order by o.closed_at desc, o.id) filter (where o.is_won))[1] as won_id,
         ${ids('o.id order by o.id', `not o.is_closed and o.type = 'RENEWAL'`)} as renewals
       from crm.opportunity o where o.organization_id = $2 and o.account_id = any($3::uuid[]) and o.deleted_at is null group by o.account_id
     ), earlier as (
       select account_id, max(health) as health from insights.triage_risk
       where organization_id = $2 and account_id = any($3::uuid[]) and day >= $6::date - 30 and day < $6::date group by account_id
     )
     select w.id, ${sumSql(halfLifeDaysDefault)} as "engagementSum", coalesce(k.k, ${kDefault})::float8 as k,
       coalesce(a.points, '{0,0,0}') as points, coalesce(a.uses, '{0,0,0}') as uses, a.silence as "silenceDays", a.last_id as "lastActivityId",
       greatest(0, date_part('epoch', $1::timestamptz - acc.created_at) / 86400) as "ageDays",
       coalesce(p.champions_left, '{}') as "championsLeft", coalesce(p.champions_active, 0) as "championsActive",
       coalesce(p.contacts, 0) as contacts, coalesce(p.active, 0) as "contactsActive",
       coalesce(p.has_decision_maker, false) as "hasDecisionMaker",
       coalesce(s.cases, 0) as cases, coalesce(s.urgent_count, 0) as "urgentCount", coalesce(s.urgent, '{}') as "urgentCases", coalesce(s.to_escalate, '{}') as "toEscalate",
       coalesce(s.others, 0) as "otherOpenCases", coalesce(s.recent, 0) as "recentCases", coalesce(s.reopened, '{}') as "reopenedCases",
       coalesce(s.reopened_count, 0) as "reopenedCount",
       coalesce(b.invoices, 0) as invoices, coalesce(b.balance, 0) as balance, coalesce(b.overdue, 0) as overdue,
       coalesce(b.long_overdue, 0) as "longOverdue", coalesce(b.overdue_ids, '{}') as "overdueInvoices",
       date_part('epoch', d.won_at + interval '1 year' - $1::timestamptz) / 86400 as "renewalDays", d.won_id as "renewedDealId",
       coalesce(d.renewals, '{}') as "openRenewals", coalesce(b.revenue, d.revenue) as revenue, h.health as "healthBefore",
       r.account_id is not null as "hasPaid", coalesce(r.ids, '{}') as "paidInvoices",
       case when r.count > 0 then jsonb_build_object('lastDays', r.last_days, 'count', r.count, 'amount', r.amount) end as payments
     from wanted w join crm.account acc on acc.organization_id = $2 and acc.id = w.id
       left join insights.engagement e on e.organization_id = $2 and e.object = 'account' and e.record_id = w.id
       left join insights.engagement_k k on k.organization_id = $2 and k.object = 'account'
       left join activity a on a.account_id = w.id left join people p on p.account_id = w.id left join support s on s.account_id = w.id
       left join bills b on b.account_id = w.id left join deals d on d.account_id = w.id left join paid r on r.account_id = w.id left join earlier h on h.account_id = w.id`,
    [now.toISOString(), organizationId, accountIds, lookbackDays, base, day],
  )
}
