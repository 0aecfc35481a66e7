import { baseCurrencyOf } from '../../../identity/public.ts'
import type { Sql } from '../../../kernel/database/sql.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { dateIn, organizationZone } from '../../../kernel/time/days.ts'
import { accountFacts } from '../account-facts.ts'
import { healthOf } from '../account-health.ts'
import { riskInputs } from '../churn-risk.ts'
import { paymentQuintiles } from '../payment-quintiles.ts'
import type { TriageSettings } from '../triage-config.ts'
import { monthsBefore, outcomeMonths } from './fit-weights.ts'

/** Accounts that a month observes, chosen by a digest of their ids, so that they are the same ones every month. */
const accountsMax = 10_000
const batchSize = 1000
/** Months whose observations are kept. */
const keptMonths = 24

interface Month {
  readonly organizationId: string
  /** Its first day. */
  readonly month: string
}

/** An account churned if its status is CHURNED at the beginning of one of the three months after it was observed. A deleted one has no outcome. */
export async function noteOutcomes(db: Sql, { organizationId, month }: Month): Promise<void> {
  const recent = `s.organization_id = $1 and s.month >= $2::date - interval '${outcomeMonths} months' and s.month < $2::date and not s.churned`
  await db.query(
    `update insights.churn_observation s set churned = true from crm.account a
     where ${recent} and a.organization_id = $1 and a.id = s.account_id and a.deleted_at is null and a.account_status = 'CHURNED'`,
    [organizationId, month],
    'WRITE',
  )
  await db.query(
    `delete from insights.churn_observation s where ${recent} and not exists (
       select from crm.account a where a.organization_id = $1 and a.id = s.account_id and a.deleted_at is null)`,
    [organizationId, month],
    'WRITE',
  )
  await db.query(
    `delete from insights.churn_observation where organization_id = $1 and month < $2::date - interval '${keptMonths} months'`,
    [organizationId, month],
    'WRITE',
  )
}

/** Observes the accounts that a scan looks at, batch by batch; after a crash, those that are missing. */
export async function observe(ctx: RequestContext, { month }: Month, settings: TriageSettings): Promise<void> {
  const { organizationId } = ctx.caller
  const now = ctx.clock.now()
  const base = await baseCurrencyOf(ctx)
  const day = dateIn(await organizationZone(ctx), now)
  const quintiles = await paymentQuintiles(ctx.db, { organizationId, now, base, day })
  const chosen = await ctx.db.query<{ id: string }>(
    `select a.id from (
       select id from crm.account where organization_id = $1 and deleted_at is null and account_status <> 'CHURNED' and (type is null or type <> all($2::text[]))
       order by md5(id::text) limit ${accountsMax}) a
     where not exists (select from insights.churn_observation s where s.organization_id = $1 and s.month = $3::date and s.account_id = a.id)`,
    [organizationId, settings.excludedAccountTypes, month],
    'SCAN',
  )
  for (let first = 0; first < chosen.length; first += batchSize) {
    const accountIds = chosen.slice(first, first + batchSize).map(({ id }) => id)
    const { lookbackDays } = settings
    const facts = await accountFacts(ctx.db, { organizationId, accountIds, now, lookbackDays, base, day })
    const rows = facts.map((one) => ({
      account_id: one.id,
      signals: riskInputs(one, healthOf(one).score, { lookbackDays, quintiles }).map(({ value }) => value ?? 0),
    }))
    await ctx.db.query(
      `insert into insights.churn_observation (organization_id, month, account_id, signals)
       select $1, $2::date, r.account_id, r.signals from jsonb_to_recordset($3::jsonb) as r (account_id uuid, signals float8[])
       on conflict do nothing`,
      [organizationId, month, JSON.stringify(rows)],
      'WRITE',
    )
  }
}

export interface Observed {
  readonly month: string
  readonly accountId: string
  readonly signals: readonly number[]
  readonly churned: boolean
}

/** Observations after which a fit takes no more months. */
const examplesEnough = 50_000

/** The latest observations whose outcome is known, the oldest month first; a month is one statement, so that no turn of the event loop is long. */
export async function knownOutcomes(db: Sql, { organizationId, month }: Month): Promise<Observed[]> {
  const months: Observed[][] = []
  let count = 0
  for (let before = outcomeMonths; before <= keptMonths && count < examplesEnough; before++) {
    const rows = await db.query<Observed & Record<string, unknown>>(
      `select month::text as month, account_id as "accountId", signals, churned from insights.churn_observation
       where organization_id = $1 and month = $2::date order by account_id`,
      [organizationId, monthsBefore(month, before)],
      'SCAN',
    )
    months.unshift(rows)
    count += rows.length
  }
  return months.flat()
}
