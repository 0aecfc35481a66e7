import type { Job } from '../../../kernel/jobs/job.ts'
import { systemContext, type RequestContext, type Services } from '../../../kernel/request.ts'
import { threadTask } from '../../../kernel/work/thread-task.ts'
import { eachOrganization } from '../../../identity/public.ts'
import { riskWeights, weightNames } from '../churn-risk.ts'
import { triageSettings } from '../triage-config.ts'
import type { Refit } from './fit-weights.ts'
import { knownOutcomes, noteOutcomes, observe, type Observed } from './observations.ts'
import type { refitWeights, RefitTask } from './refit.task.ts'

const refitTask = threadTask<typeof refitWeights>(import.meta.url, './refit.task', 'refitWeights')
const keptMonths = 24

const start = ['baseRate' as const, ...weightNames].map((name) => riskWeights[name])

/** The examples as a few long arrays, which are copied to a thread at once. An observation of an earlier release lacks the latest signals. */
function taskOf(observed: readonly Observed[]): RefitTask {
  const width = start.length
  const values = new Float64Array(observed.length * width)
  const rows = new Int32Array(observed.length * 3)
  const months = [...new Set(observed.map(({ month }) => month))]
  const monthAt = new Map(months.map((month, index) => [month, index]))
  const accountAt = new Map<string, number>()
  for (const [row, { month, accountId, signals, churned }] of observed.entries()) {
    values.set([1, ...weightNames.map((_, index) => signals[index] ?? 0)], row * width)
    if (!accountAt.has(accountId)) accountAt.set(accountId, accountAt.size)
    rows.set([monthAt.get(month)!, accountAt.get(accountId)!, Number(churned)], row * 3)
  }
  return { months, values, width, rows, start }
}

async function store(ctx: RequestContext, month: string, { test, weights }: Refit): Promise<void> {
  const { organizationId } = ctx.caller
  const named = weights && Object.fromEntries(['baseRate', ...weightNames].map((name, index) => [name, weights[index]]))
  await ctx.db.query(
    `insert into insights.churn_weights (organization_id, month, computed_at, test, weights) values ($1, $2::date, $3, $4, $5)
     on conflict (organization_id, month) do nothing`,
    [organizationId, month, ctx.clock.now().toISOString(), JSON.stringify(test), named && JSON.stringify(named)],
    'WRITE',
  )
  await ctx.db.query(
    `delete from insights.churn_weights where organization_id = $1 and month < $2::date - interval '${keptMonths} months'`,
    [organizationId, month],
    'WRITE',
  )
}

/** Notes what became of the accounts, fits the weights to it, and observes the accounts of this month. The stored weights end the month. */
async function refitOf(services: Services, organizationId: string): Promise<void> {
  const ctx = systemContext(services, organizationId)
  const month = `${services.clock.now().toISOString().slice(0, 7)}-01`
  const at = { organizationId, month }
  const settings = await triageSettings(ctx.db, organizationId)
  await noteOutcomes(ctx.db, at)
  const task = taskOf(await knownOutcomes(ctx.db, at))
  const found = await services.work.run(refitTask, task, organizationId)
  if (settings.enabled) await observe(ctx, at, settings)
  await store(ctx, month, found)
}

/** Once a month for each organization with accounts; daily, so that none is missed. */
export const churnWeightsJob: Job = {
  name: 'triage.churnWeights',
  cron: '35 3 * * *',
  run: (services) =>
    eachOrganization(
      services,
      `exists (select from crm.account a where a.organization_id = o.id)
       and not exists (select from insights.churn_weights w where w.organization_id = o.id
         and w.month = date_trunc('month', $2::timestamptz at time zone 'UTC'))`,
      (organizationId) => refitOf(services, organizationId),
      [services.clock.now().toISOString()],
    ),
}
