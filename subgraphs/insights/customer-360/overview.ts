import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { sum } from '../../kernel/record/aggregates.ts'
import type { RecordDefinition, StoredRow } from '../../kernel/record/definition.ts'
import { figuresBy } from '../../kernel/record/figures-by.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { dayMs } from '../../kernel/time/wall-calendar.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { decimalOf, exactOf } from '../../kernel/values/decimal.ts'
import type { ComputedHealth } from '../triage/account-health.resolver.ts'
import type { RecordEngagement } from '../engagement/stored/record-engagement.ts'
import { readBlocks, readGraph, type Blocks, type GraphReading } from '../../kernel/graph-port/read-blocks.ts'
import type {
  Customer360Brief,
  Customer360Contact,
  Customer360Deal,
  Customer360Invoices,
  Customer360TimelineEntry,
} from './parts.types.ts'
import {
  briefQuery,
  buyingQuery,
  casesQuery,
  contactsQuery,
  dealsQuery,
  engagementQuery,
  healthQuery,
  invoicesQuery,
  rolesQuery,
  timelineQuery,
} from './queries.ts'
import {
  buyingSignals,
  caseSignals,
  contactSignals,
  dealSignals,
  engagementSignals,
  invoiceSignals,
  recentDays,
  type Deal,
  type Found,
  type Signal,
} from './signals.ts'

/** What gives signals, by block. */
interface SignalSources extends Readonly<Record<string, unknown>> {
  readonly ROLES: { left: Found; joined: Found }
  readonly DEALS: {
    deals: { data: readonly (Deal & Omit<Customer360Deal, 'score'> & { score: { score: number | null } | null })[] }
  }
  readonly CASES: { open: { total: number }; escalated: Found }
  readonly INVOICES: {
    aging: { currency: string; total: ExactNumber; buckets: readonly { key: string; amount: ExactNumber }[] }
    overdue: Found
  }
  readonly ENGAGEMENT: {
    account: { engagement: RecordEngagement | null } | null
    latest: { data: readonly { id: string; occurredAt: string }[] }
  }
  readonly BUYING: { forms: Found; documents: Found }
}

interface OverviewSources extends SignalSources {
  readonly HEALTH: { account: { health: ComputedHealth | null } | null }
  readonly CONTACTS: {
    contacts: { data: readonly (Customer360Contact & { engagement: { score: number } | null })[] }
  }
  readonly TIMELINE: { accountTimeline: { data: readonly Customer360TimelineEntry[] } }
  readonly REVENUE: ExactNumber | null
  readonly BRIEF: { account: { aiBrief: Customer360Brief | null } | null }
}

function signalReaders(ctx: GraphReading, id: string) {
  const now = ctx.clock.now()
  const times = { now: now.toISOString(), since: new Date(now.getTime() - recentDays * dayMs).toISOString() }
  const reader =
    <B extends keyof SignalSources>(query: string, more: object = {}) =>
    () =>
      readGraph<SignalSources[B]>(ctx, query, { id, ...more })
  return {
    DEALS: reader<'DEALS'>(dealsQuery),
    CASES: reader<'CASES'>(casesQuery),
    INVOICES: reader<'INVOICES'>(invoicesQuery),
    ENGAGEMENT: reader<'ENGAGEMENT'>(engagementQuery, { now: times.now }),
    ROLES: reader<'ROLES'>(rolesQuery, { since: times.since }),
    BUYING: reader<'BUYING'>(buyingQuery, times),
  }
}

function signalsOf({ DEALS, CASES, INVOICES, ENGAGEMENT, ROLES, BUYING }: Blocks<SignalSources>['values'], now: Date) {
  const signals: Signal[] = []
  if (ENGAGEMENT) {
    const latest = ENGAGEMENT.latest.data.map(({ id, occurredAt }) => ({ id, at: occurredAt }))
    signals.push(...engagementSignals(ENGAGEMENT.account?.engagement ?? null, latest, now))
  }
  if (ROLES) signals.push(...contactSignals(ROLES.left, ROLES.joined))
  if (CASES) signals.push(...caseSignals(CASES.escalated))
  if (INVOICES) signals.push(...invoiceSignals(INVOICES.overdue))
  if (DEALS) signals.push(...dealSignals(DEALS.deals.data, now))
  if (BUYING) signals.push(...buyingSignals(BUYING.forms, BUYING.documents))
  return signals
}

interface WonDeal extends StoredRow {
  isWon: boolean
  baseAmount: ExactNumber | null
}

/** A sum in one statement, which no list of the graph has. */
async function wonRevenue(ctx: GraphReading, accountId: string): Promise<ExactNumber | null> {
  requireScopes(ctx.caller, [[['READ_OPPORTUNITIES']]])
  const filter = { accountId: { eq: accountId }, isWon: { eq: true } }
  const opportunity = recordType('opportunity')() as unknown as RecordDefinition<WonDeal>
  const [won] = await figuresBy(ctx, opportunity, ['isWon'], { amount: sum('baseAmount') }, { filter })
  return won ? won.amount : 0
}

function invoicesOf({ aging: { currency, total, buckets } }: SignalSources['INVOICES']): Customer360Invoices {
  const current = buckets.find(({ key }) => key === 'CURRENT')?.amount ?? 0
  return { outstanding: total, overdue: exactOf(decimalOf(total).minus(decimalOf(current))), currency }
}

/** The whole page of an account that the caller sees. */
export async function readOverview(ctx: GraphReading, id: string) {
  const { values, warnings } = await readBlocks<OverviewSources>(ctx, {
    CONTACTS: () => readGraph(ctx, contactsQuery, { id }),
    ...signalReaders(ctx, id),
    HEALTH: () => readGraph(ctx, healthQuery, { id }),
    REVENUE: () => wonRevenue(ctx, id),
    TIMELINE: () => readGraph(ctx, timelineQuery, { id }),
    BRIEF: () => readGraph(ctx, briefQuery, { id }),
  })
  const { CONTACTS, DEALS, CASES, HEALTH, INVOICES, ENGAGEMENT, TIMELINE, REVENUE, BRIEF } = values
  const now = ctx.clock.now()
  return {
    account: { id },
    health: HEALTH?.account?.health ?? null,
    contacts:
      CONTACTS?.contacts.data.map(({ engagement, ...shown }) => ({
        ...shown,
        engagementScore: engagement?.score ?? null,
      })) ?? null,
    openDeals: DEALS?.deals.data.map(({ score, ...shown }) => ({ ...shown, score: score?.score ?? null })) ?? null,
    wonRevenue: REVENUE,
    openCases: CASES?.open.total ?? null,
    invoices: INVOICES && invoicesOf(INVOICES),
    engagement: ENGAGEMENT?.account?.engagement ?? null,
    signals: signalsOf(values, now),
    recentTimeline: TIMELINE?.accountTimeline.data ?? null,
    brief: BRIEF?.account?.aiBrief ?? null,
    warnings,
    computedAt: now.toISOString(),
  }
}

/** The signals of an account that the caller sees. */
export async function readSignals(ctx: GraphReading, accountId: string) {
  const { values, warnings } = await readBlocks<SignalSources>(ctx, signalReaders(ctx, accountId))
  const now = ctx.clock.now()
  return { accountId, signals: signalsOf(values, now), warnings, computedAt: now.toISOString() }
}
