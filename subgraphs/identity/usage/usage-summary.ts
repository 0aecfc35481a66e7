import { invalid } from '../../kernel/errors.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { CountedKind } from '../../kernel/credentials/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { credentialNames } from './credential-names.ts'
import { latencyBounds, percentile } from '../../kernel/values/latency.ts'
import { usageColumns } from './usage-counts.ts'
import type { ApiUsageSummary, ApiUsageFigures, StorageUsage } from './usage.types.ts'

const usageDaysMax = 90
export const usageDaysDefault = 30
const credentialsMax = 100
const dayMs = 86_400_000
const hourMs = 3_600_000

type Sums = Readonly<Record<(typeof usageColumns)[number], number>>

interface Grouped extends Sums {
  readonly credentialKind: CountedKind | null
  readonly credentialId: string | null
  readonly operation: string | null
  readonly hour: string | null
}

/** Usage figures of the organization, from hourly buckets. For owners and admins. */
export async function usageSummary(ctx: RequestContext, days: number): Promise<ApiUsageSummary> {
  requireAdministrator(ctx)
  if (days < 1 || days > usageDaysMax) {
    throw invalid({ path: 'days', code: 'OUT_OF_RANGE', message: `days must be between 1 and ${usageDaysMax}.` })
  }
  const now = ctx.clock.now()
  const from = new Date(Math.floor((now.getTime() - days * dayMs) / hourMs) * hourMs).toISOString()
  const rows = await grouped(ctx, from)
  const totals = rows.find(({ credentialId, operation, hour }) => !credentialId && !operation && !hour)
  const credentials = rows
    .filter(({ credentialId }) => credentialId)
    .sort(byRequestsDescending)
    .slice(0, credentialsMax)
  const callers = credentials.map((row) => ({
    credentialKind: row.credentialKind!,
    credentialId: row.credentialId!,
    ...figuresOf(row),
  }))
  const names = await credentialNames(ctx, callers)
  return {
    days,
    from,
    to: now.toISOString(),
    totals: figuresOf(totals),
    byCredential: callers.map((caller) => ({ ...caller, name: names.get(caller.credentialId) ?? null })),
    byOperation: rows
      .filter(({ operation }) => operation)
      .sort(byRequestsDescending)
      .map((row) => ({ operation: row.operation!, ...figuresOf(row) })),
    byHour: rows
      .filter(({ hour }) => hour)
      .sort((a, b) => (a.hour! < b.hour! ? -1 : 1))
      .map((row) => ({ hour: row.hour!, ...figuresOf(row) })),
    storage: await storageUsage(ctx),
  }
}

async function storageUsage({ db, caller, settings }: RequestContext): Promise<StorageUsage> {
  const [row] = await db.query<Pick<StorageUsage, 'bytes' | 'measuredAt'>>(
    'select measured + written as bytes, measured_at as "measuredAt" from kernel.stored_bytes where organization_id = $1',
    [caller.organizationId],
  )
  return { ...(row ?? { bytes: 0, measuredAt: null }), limitBytes: settings.storedBytes.kept }
}

/** Reads the buckets once and sums them in four groupings. */
const grouped = (ctx: RequestContext, from: string): Promise<Grouped[]> =>
  ctx.db.query<Grouped>(
    `select credential_kind as "credentialKind", credential_id as "credentialId", operation, hour,
       ${usageColumns.map((name) => `sum(${name})::int8 as ${name}`).join(', ')}
     from identity.usage_hour where organization_id = $1 and hour >= $2
     group by grouping sets ((), (credential_kind, credential_id), (operation), (hour))`,
    [ctx.caller.organizationId, from],
    'SCAN',
  )

const nameOf = ({ credentialId, operation }: Grouped): string => credentialId ?? operation ?? ''

const byRequestsDescending = (a: Grouped, b: Grouped): number =>
  b.requests - a.requests || (nameOf(a) < nameOf(b) ? -1 : 1)

function figuresOf(sums: Sums | undefined): ApiUsageFigures {
  const of = (name: keyof Sums): number => sums?.[name] ?? 0
  const counts = latencyBounds.map((bound) => of(`le_${bound}`))
  return {
    requests: of('requests'),
    rateLimitHits: of('rate_limit_hits'),
    byStatus: { '2xx': of('status_2xx'), '3xx': of('status_3xx'), '4xx': of('status_4xx'), '5xx': of('status_5xx') },
    latency: {
      p50: percentile(counts, 50),
      p90: percentile(counts, 90),
      p95: percentile(counts, 95),
      p99: percentile(counts, 99),
    },
  }
}
