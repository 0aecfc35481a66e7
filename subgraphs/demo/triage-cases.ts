import { severityOf } from '../insights/triage/case-figures.ts'
import { churnBand } from '../insights/triage/churn-risk.ts'
import { startVersion } from '../insights/triage/churn-weights/applied-weights.ts'
import type { TriageCase } from '../insights/triage/triage-case.ts'
import { triageDefaults } from '../insights/triage/triage-config.ts'
import type { Sql } from '../kernel/database/sql.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { DemoAccount } from './accounts.ts'
import { dayMs, hourMs, iso } from './calendar.ts'
import { withHistory } from './history.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

const cases = 8
/** Days between the scans that opened them, and until users had resolved them; there is always one that is open. */
const [everyDays, workDays] = [6, 12]
const resolutions = [
  'The new contact has renewed for two years.',
  'The overdue deliveries have arrived.',
  'Our manager met theirs; both will meet every month.',
  'The discount for the missing parts was accepted.',
]

const open = { status: 'OPEN', resolvedAt: null, resolution: null } as const

/** What the scans of the last weeks found, and users have resolved but for the last one. The first scan of a worker opens those of today. */
export function demoTriageCases(
  input: GeneratorInput,
  accounts: readonly DemoAccount[],
): GeneratedRecord<TriageCase>[] {
  const { profile, midnightMs } = input
  const random = new Random(`triage ${profile.code}`)
  const firstMs = midnightMs - (cases * everyDays + 2) * dayMs
  const known = accounts.filter(
    ({ given: { values } }) => Date.parse(values.createdAt) < firstMs && values.accountStatus !== 'CHURNED',
  )
  return known.slice(0, cases).map(({ given, owner }, index) => {
    const openedMs = firstMs + index * everyDays * dayMs + 6 * hourMs
    const resolvedMs = openedMs + workDays * dayMs + 5 * hourMs
    const isResolved = resolvedMs < midnightMs
    const riskScore = 42 + ((index * 17) % 40)
    const base = 15
    const detectedAt = iso(openedMs)
    const signal = { weight: 1, value: 1, evidence: [], detectedAt }
    const resolved = {
      status: 'RESOLVED',
      resolvedAt: iso(resolvedMs),
      resolution: resolutions[index % resolutions.length]!,
    } as const
    const values = {
      ...commonFields(input, random, openedMs, null),
      ownerId: owner.id,
      accountId: given.values.id,
      severity: severityOf(riskScore, triageDefaults.thresholds),
      riskScore,
      churnRisk: churnBand(riskScore),
      revenueAtRisk: 120 * riskScore,
      currency: profile.currency,
      urgency: 120 * riskScore,
      modelVersion: startVersion,
      openedAt: iso(openedMs),
      computedAt: iso(openedMs),
      notifiesOwner: false,
      storedSignals: [
        { ...signal, key: 'BASE_RATE', contribution: base },
        { ...signal, key: 'SILENCE', contribution: riskScore - base },
      ],
      storedActions: [],
      ...(isResolved ? resolved : open),
    } satisfies GeneratedRecord<TriageCase>['values']
    const record = { values, actorId: null, eventId: random.id(openedMs) }
    const step = {
      atMs: resolvedMs,
      actorId: owner.id,
      values: resolved,
      events: ['triage.resolved'],
      isEventReplaced: true,
    }
    return withHistory<TriageCase>(random, record, open, isResolved ? [step] : [])
  })
}

/** The risks that the scans found on the days of the cases. Without a health, so that no fall of it is told from invented figures. */
export const loadRisks = (sql: Sql, { organizationId, midnightMs }: GeneratorInput): Promise<unknown> =>
  sql.query(
    `insert into insights.triage_risk (organization_id, account_id, day, risk, health, revenue_at_risk)
     select c.organization_id, c.account_id, day::date, c.risk_score, null, c.revenue_at_risk
     from insights.triage_case c, generate_series(c.opened_at::date, coalesce(c.resolved_at, $2::timestamptz - interval '1 day')::date, '1 day') day
     where c.organization_id = $1`,
    [organizationId, iso(midnightMs)],
  )
