import { baseCurrencyOf } from '../../identity/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { newId } from '../../kernel/ids.ts'
import { insertRecords } from '../../kernel/record/insert-records.ts'
import { changeAllWithEvents, type RuledChange } from '../../kernel/record/change-all.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { dateIn, organizationZone } from '../../kernel/time/days.ts'
import { dayMs } from '../../kernel/time/wall-calendar.ts'
import { accountFacts } from './account-facts.ts'
import { assess, figuresOf, type AssessedAccount } from './case-figures.ts'
import type { PaymentQuintiles } from './payment-quintiles.ts'
import { mergeActions, suggestActions } from './suggest-actions.ts'
import { triageCase } from './triage-case.record.ts'
import type { TriageCase } from './triage-case.ts'
import type { AppliedSettings, TriageSettings } from './triage-config.ts'

export interface ScannedBatch {
  readonly accounts: number
  readonly opened: number
  readonly resolved: number
  /** The last account that the scan has assessed. */
  readonly afterId: string | null
  /** Whether there are no more accounts. */
  readonly isLast: boolean
}

interface Scan {
  readonly ctx: RequestContext
  readonly settings: AppliedSettings
  /** How the payments of all accounts were distributed when the scan began; null for too few. */
  readonly quintiles: PaymentQuintiles | null
  /** When the scan began; all its figures are of this moment. */
  readonly at: Date
}

interface Frame extends Scan {
  readonly currency: string
  readonly computedAt: string
}

export const batchSize = 1000

interface Account {
  readonly id: string
  readonly ownerId: string | null
}

const accountsAfter = (sql: Sql, organizationId: string, settings: TriageSettings, afterId: string | null) =>
  sql.query<Account & Record<string, unknown>>(
    `select id, owner_id as "ownerId" from crm.account
     where organization_id = $1 and deleted_at is null and account_status <> 'CHURNED' and (type is null or type <> all($2::text[]))
       and ($3::uuid is null or id > $3) order by id limit ${batchSize}`,
    [organizationId, settings.excludedAccountTypes, afterId],
  )

/** Assesses the next accounts, stores their risk of the day, and opens, updates and resolves their cases, in the open transaction. */
export async function scanBatch(scan: Scan, afterId: string | null): Promise<ScannedBatch> {
  const { ctx, settings, at } = scan
  const { organizationId } = ctx.caller
  const accounts = await accountsAfter(ctx.db, organizationId, settings, afterId)
  if (accounts.length === 0) return { accounts: 0, opened: 0, resolved: 0, afterId, isLast: true }
  const currency = await baseCurrencyOf(ctx)
  const day = dateIn(await organizationZone(ctx), at)
  const facts = await accountFacts(ctx.db, {
    organizationId,
    accountIds: accounts.map(({ id }) => id),
    now: at,
    lookbackDays: settings.lookbackDays,
    base: currency,
    day,
  })
  const measure = { ...settings, quintiles: scan.quintiles, currency }
  const assessed = new Map(facts.map((one) => [one.id, assess(one, measure)]))
  await storeRisks(ctx, day, [...assessed.values()])
  const frame = { ...scan, currency, computedAt: at.toISOString() }
  const { known, resolved } = await updateCases(frame, assessed, accounts)
  const opened = await openCases(frame, assessed, accounts, known)
  return {
    accounts: accounts.length,
    opened,
    resolved,
    afterId: accounts.at(-1)!.id,
    isLast: accounts.length < batchSize,
  }
}

async function storeRisks({ db, caller }: RequestContext, day: string, all: readonly AssessedAccount[]): Promise<void> {
  const rows = all.map(({ facts, risk, health, revenueAtRisk }) => ({
    account_id: facts.id,
    risk: risk.score,
    health,
    revenue_at_risk: revenueAtRisk,
  }))
  await db.query(
    `insert into insights.triage_risk (organization_id, account_id, day, risk, health, revenue_at_risk)
     select $1, r.account_id, $2::date, r.risk, r.health, r.revenue_at_risk
     from jsonb_to_recordset($3::jsonb) as r (account_id uuid, risk float8, health float8, revenue_at_risk numeric)
     on conflict (organization_id, account_id, day) do update set
       risk = excluded.risk, health = excluded.health, revenue_at_risk = excluded.revenue_at_risk`,
    [caller.organizationId, day, JSON.stringify(rows)],
    'WRITE',
  )
}

interface Known {
  readonly id: string
  readonly accountId: string
  readonly isUnresolved: boolean
}

/** The cases of accounts that are not resolved, and those within the cooldown. */
const knownCases = ({ ctx, settings, at }: Frame, accountIds: readonly string[]) =>
  ctx.db.query<Known & Record<string, unknown>>(
    `select id, account_id as "accountId", status <> 'RESOLVED' as "isUnresolved" from insights.triage_case
     where organization_id = $1 and account_id = any($2::uuid[]) and deleted_at is null
       and (status <> 'RESOLVED' or resolved_at > $3::timestamptz)`,
    [ctx.caller.organizationId, accountIds, new Date(at.getTime() - settings.cooldownDays * dayMs).toISOString()],
  )

async function updateCases(frame: Frame, assessed: ReadonlyMap<string, AssessedAccount>, accounts: readonly Account[]) {
  const cases = await knownCases(frame, [...assessed.keys()])
  const owners = new Map(accounts.map(({ id, ownerId }) => [id, ownerId]))
  const unresolved = cases.filter(({ isUnresolved }) => isUnresolved).map(({ id }) => id)
  const changed = await changeAllWithEvents(frame.ctx, triageCase, unresolved, (previous) =>
    changeOf(frame, previous, assessed.get(previous.accountId)!, owners.get(previous.accountId) ?? null),
  )
  return {
    known: new Set(cases.map(({ accountId }) => accountId)),
    resolved: changed.filter(({ status }) => status === 'RESOLVED').length,
  }
}

/** What a scan changes of a case that is not resolved. */
function changeOf(
  frame: Frame,
  previous: TriageCase,
  assessed: AssessedAccount,
  ownerId: string | null,
): RuledChange<TriageCase> {
  const { settings, currency, computedAt } = frame
  const { score, signals } = assessed.risk
  const figures = {
    ...figuresOf(assessed, settings, { earlier: previous.storedSignals, currency, computedAt }),
    ...(ownerId !== null && { ownerId }),
    storedActions: mergeActions(previous.storedActions, suggestActions(previous.id, assessed.facts, signals)),
  }
  if (previous.status === 'IGNORED') {
    const isBack = isIgnoredNoLonger(frame, previous) && score >= settings.thresholds.medium
    if (!isBack) return { implied: figures }
    const back = { status: 'OPEN', ignoredUntil: null, ignoreReason: null, ignoredAt: null } as const
    return { implied: { ...figures, ...back }, events: ['triage.reopened'], isEventReplaced: true }
  }
  if (score >= settings.autoResolveBelow) return { implied: figures }
  const resolution = `The risk fell below ${settings.autoResolveBelow}.`
  const end = { status: 'RESOLVED', resolvedAt: computedAt, resolution } as const
  return { implied: { ...figures, ...end }, events: ['triage.resolved'], isEventReplaced: true }
}

function isIgnoredNoLonger({ settings, at }: Frame, { ignoredUntil, ignoredAt }: TriageCase): boolean {
  const until = ignoredUntil ?? new Date(Date.parse(ignoredAt!) + settings.cooldownDays * dayMs).toISOString()
  return Date.parse(until) <= at.getTime()
}

async function openCases(
  frame: Frame,
  assessed: ReadonlyMap<string, AssessedAccount>,
  accounts: readonly Account[],
  known: ReadonlySet<string>,
): Promise<number> {
  const { ctx, settings, currency, computedAt } = frame
  const risky = accounts.filter(({ id }) => !known.has(id) && isAtRisk(assessed.get(id), settings))
  const records = risky.map(({ id: accountId, ownerId }) => {
    const one = assessed.get(accountId)!
    const id = newId()
    return {
      actorId: null,
      eventId: newId(),
      values: {
        ...figuresOf(one, settings, { earlier: [], currency, computedAt }),
        id,
        organizationId: ctx.caller.organizationId,
        ownerId,
        accountId,
        createdAt: computedAt,
        openedAt: computedAt,
        notifiesOwner: settings.notify.owner,
        storedActions: suggestActions(id, one.facts, one.risk.signals),
      },
    }
  })
  await insertRecords(ctx.db, triageCase, records)
  return records.length
}

function isAtRisk(
  assessed: AssessedAccount | undefined,
  { thresholds, minimumRevenue }: TriageSettings,
): assessed is AssessedAccount {
  if (!assessed || assessed.risk.score < thresholds.medium) return false
  return minimumRevenue === null || Number(assessed.facts.revenue ?? -1) >= Number(minimumRevenue)
}

/** Resolves the next cases of accounts that the scan no longer looks at: they are CHURNED, or of an excluded type. */
export async function resolveUnscanned({ ctx, at }: Scan): Promise<{ resolved: number; isLast: boolean }> {
  const rows = await ctx.db.query<{ id: string }>(
    `select t.id from insights.triage_case t join crm.account a on a.organization_id = $1 and a.id = t.account_id and a.deleted_at is null
     where t.organization_id = $1 and t.status <> 'RESOLVED' and t.deleted_at is null and t.computed_at < $2::timestamptz limit ${batchSize}`,
    [ctx.caller.organizationId, at.toISOString()],
  )
  const implied = {
    status: 'RESOLVED',
    resolvedAt: at.toISOString(),
    resolution: 'The account is no longer scanned.',
  } as const
  const change = { implied, events: ['triage.resolved'], isEventReplaced: true }
  const ids = rows.map(({ id }) => id)
  const changed = await changeAllWithEvents(ctx, triageCase, ids, () => change)
  return { resolved: changed.length, isLast: ids.length < batchSize }
}
