import { auditRecord } from '../../identity/public.ts'
import type { AccountType } from '../../crm/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { lockOf } from '../../kernel/database/locks.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { writeChange } from '../../kernel/record/write-change.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { organizationZone } from '../../kernel/time/days.ts'
import { riskWeights, type RiskWeights } from './churn-risk.ts'
import { appliedWeights, isEqual, type AppliedWeights } from './churn-weights/applied-weights.ts'
import { nextScan, scheduleProblems } from './scan-schedule.ts'
import { thresholdsDefault, type TriageConfig, type TriageConfigUpdateInput } from './triage-config.types.ts'

export interface TriageSettings {
  readonly enabled: boolean
  readonly weights: RiskWeights
  readonly thresholds: typeof thresholdsDefault
  readonly lookbackDays: number
  readonly minimumRevenue: ExactNumber | null
  readonly excludedAccountTypes: readonly (keyof typeof AccountType)[]
  readonly scanSchedule: string
  readonly cooldownDays: number
  readonly autoResolveBelow: number
  readonly notify: { readonly owner: boolean }
}

export const triageDefaults: TriageSettings = {
  enabled: true,
  weights: riskWeights,
  thresholds: thresholdsDefault,
  lookbackDays: 90,
  minimumRevenue: null,
  excludedAccountTypes: [],
  scanSchedule: '0 6 * * *',
  cooldownDays: 14,
  autoResolveBelow: 30,
  notify: { owner: true },
}

/** The settings that an organization has stored; what it has not set has its default. */
async function storedSettings(db: Sql, organizationId: string): Promise<TriageSettings> {
  const [row] = await db.query<{ settings: Partial<TriageSettings> }>(
    'select settings from insights.triage_config where organization_id = $1',
    [organizationId],
  )
  return { ...triageDefaults, ...row?.settings, weights: { ...riskWeights, ...row?.settings.weights } }
}

/** The settings of an organization, with the weights that apply, and their version. */
export interface AppliedSettings extends TriageSettings, AppliedWeights {}

const applied = async (db: Sql, organizationId: string, settings: TriageSettings): Promise<AppliedSettings> => ({
  ...settings,
  ...(await appliedWeights(db, organizationId, settings.weights)),
})

export const triageSettings = async (db: Sql, organizationId: string): Promise<AppliedSettings> =>
  applied(db, organizationId, await storedSettings(db, organizationId))

interface ScanTimes {
  readonly nextScanAt: string | null
  readonly lastScanAt: string | null
}

const shown = async ({ db, caller }: RequestContext, stored: TriageSettings): Promise<TriageConfig> => {
  const settings = await applied(db, caller.organizationId, stored)
  const [times] = await db.query<ScanTimes & Record<string, unknown>>(
    `select next_at as "nextScanAt", finished_at as "lastScanAt" from insights.triage_scan where organization_id = $1`,
    [caller.organizationId],
  )
  const nextScanAt = settings.enabled ? (times?.nextScanAt ?? null) : null
  return { ...settings, nextScanAt, lastScanAt: times?.lastScanAt ?? null }
}

export const readTriageConfig = async (ctx: RequestContext): Promise<TriageConfig> =>
  shown(ctx, await storedSettings(ctx.db, ctx.caller.organizationId))

/** The values of `input` over those of `now`: null is the default, and what is absent stays. */
function over<T extends object>(now: T, defaults: T, input: Partial<Record<keyof T, unknown>> | null | undefined): T {
  if (input === null) return defaults
  const given = Object.entries(input ?? {}).filter(([, value]) => value !== undefined)
  return { ...now, ...Object.fromEntries(given.map(([name, value]) => [name, value ?? defaults[name as keyof T]])) }
}

/** Weights that are sent back as they were read stay those that apply; a change of one of them makes all of them those of the organization. */
function changedWeights(
  stored: RiskWeights,
  inForce: RiskWeights,
  input: TriageConfigUpdateInput['weights'],
): RiskWeights {
  const next = over(inForce, riskWeights, input)
  return input === undefined || isEqual(next, inForce) ? stored : next
}

function changed(settings: TriageSettings, inForce: RiskWeights, input: TriageConfigUpdateInput): TriageSettings {
  const { weights, thresholds, excludedAccountTypes, ...rest } = input
  return {
    ...over(settings, triageDefaults, rest),
    weights: changedWeights(settings.weights, inForce, weights),
    thresholds: over(settings.thresholds, triageDefaults.thresholds, thresholds),
    ...(excludedAccountTypes !== undefined && { excludedAccountTypes: [...new Set(excludedAccountTypes ?? [])] }),
  }
}

function problemsOf({ thresholds, autoResolveBelow, scanSchedule }: TriageSettings): FieldProblem[] {
  const { critical, high, medium } = thresholds
  const problem = (path: string, message: string): FieldProblem => ({ path, code: 'OUT_OF_RANGE', message })
  return [
    ...(high > critical ? [problem('thresholds.high', 'thresholds.high must not be above thresholds.critical.')] : []),
    ...(medium > high ? [problem('thresholds.medium', 'thresholds.medium must not be above thresholds.high.')] : []),
    ...(autoResolveBelow > medium
      ? [problem('autoResolveBelow', 'autoResolveBelow must not be above thresholds.medium.')]
      : []),
    ...scheduleProblems(scanSchedule),
  ]
}

interface StoredConfig {
  readonly id: string
  readonly settings: TriageSettings
}

const triageConfig: TrackedObject<StoredConfig> = {
  object: 'triage_config',
  isAdministrative: true,
  audit: auditRecord<StoredConfig>('triage_config', ({ settings }) => settings),
}

export async function updateTriageConfig(ctx: RequestContext, input: TriageConfigUpdateInput): Promise<TriageConfig> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    await inner.db.query(`select pg_advisory_xact_lock(${lockOf('triageScan', '$1')})`, [organizationId])
    const previous = await storedSettings(inner.db, organizationId)
    const inForce = await appliedWeights(inner.db, organizationId, previous.weights)
    const next = changed(previous, inForce.weights, input)
    const problems = problemsOf(next)
    if (problems.length > 0) throw invalid(...problems)
    if (JSON.stringify(next) === JSON.stringify(previous)) return shown(inner, next)
    const now = inner.clock.now()
    const of = (settings: TriageSettings): StoredConfig => ({ id: organizationId, settings })
    const change = { operation: 'UPDATE', previous: of(previous), next: of(next) } as const
    await writeChange(inner, triageConfig, change, (values) => {
      const organization = values.add(organizationId)
      return `insert into insights.triage_config (organization_id, settings, updated_at)
        values (${organization}, ${values.add(JSON.stringify(next))}, ${values.add(now.toISOString())})
        on conflict (organization_id) do update set settings = excluded.settings, updated_at = excluded.updated_at returning 1`
    })
    await setNextScan(inner, next, now)
    return shown(inner, next)
  })
}

/** A new schedule counts from now on. */
async function setNextScan(ctx: RequestContext, { scanSchedule }: TriageSettings, now: Date): Promise<void> {
  const next = nextScan(scanSchedule, await organizationZone(ctx), now)
  await ctx.db.query(
    `insert into insights.triage_scan (organization_id, next_at) values ($1, $2)
     on conflict (organization_id) do update set next_at = excluded.next_at`,
    [ctx.caller.organizationId, next.toISOString()],
    'WRITE',
  )
}
