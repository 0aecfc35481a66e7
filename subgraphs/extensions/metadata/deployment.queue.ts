import type { Job } from '../../kernel/jobs/job.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import type { MetadataContext } from '../../kernel/metadata/component.ts'
import { Values } from '../../kernel/record/predicate.ts'
import { updateRow, writeChange } from '../../kernel/record/write-change.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { finishAppChange, type AppChange } from '../app/finish-app-change.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Services } from '../../kernel/request.ts'
import { attemptMsMax, attemptsMax, keptDays, shownMax } from './bounds.ts'
import { metadataDeployments } from './deployment.events.ts'
import { deploymentTable } from './deployment.migrations.ts'
import type { MetadataDeploymentStatus, MetadataTestLevel } from './deployment.enumerations.ts'
import type { MetadataChangeNumbers, MetadataMissingSecret } from './deployment.types.ts'
import type { MetadataType } from './metadata-type.ts'
import type { PlannedComponent } from './plan.ts'
import type { MetadataWarning } from './retrieval.types.ts'
import { asProblem } from './problems.ts'
import { callerOf, type RequestedBy } from './requested-by.ts'
import { runDeployment, type Result } from './run-deployment.ts'
import { filesStored } from './source-files.ts'

const { table } = deploymentTable
const dayMs = 86_400_000

/** Deployments: one of an organization at a time, in their order. */
export const deploymentQueue: Queue = {
  ...deploymentTable,
  columns: 'turn_id as "turnId"',
  leaseMs: attemptMsMax + 20_000,
  attemptMsMax,
  lanes: { fresh: 2, retry: 1 },
  // The attempts decide themselves when a deployment has failed.
  attemptsMax: () => 10 * attemptsMax,
  retryAfterMs: ({ attempts }) => Math.min(1_000 * 2 ** (attempts - 1), 60_000),
  retentionMs: keptDays * dayMs,
  attempt: attemptDeployment,
}

export const deploymentJobs: readonly Job[] = [
  {
    name: 'metadata.forgetDeployments',
    cron: '20 4 * * *',
    run: (services) => deleteFinishedItems(deploymentQueue, services),
  },
]

/** The attempt records its outcome itself. */
const recorded: Outcome = { end: 'RECORDED' }

/** Another process has the deployment, or it has ended. */
class LeaseLost extends Error {}

class Cancelled extends Error {}

interface StoredDeployment extends Record<string, unknown> {
  readonly checkOnly: boolean
  readonly allowDestructive: boolean
  readonly expectedVersion: string | null
  readonly testLevel: MetadataTestLevel
  readonly tests: readonly string[] | null
  readonly caller: RequestedBy
  /** Null for the removal of an app. */
  readonly files: Uint8Array | null
  readonly app: AppChange | null
  readonly isCancelled: boolean
}

async function attemptDeployment(services: Services, item: Leased<QueuedItem>, signal: AbortSignal): Promise<Outcome> {
  try {
    // Attempts that ended their process, or did not end, are not repeated for ever.
    if (item.attempts > attemptsMax) return await ended(services, item, 'FAILED', interrupted)
    return await carriedOut(services, item, signal)
  } catch (error) {
    if (error instanceof LeaseLost) return recorded
    if (error instanceof Cancelled) return ended(services, item, 'CANCELLED', nothing)
    if (item.attempts < attemptsMax) throw error
    services.log.error({ err: error, deploymentId: item.id }, 'a deployment has failed')
    return ended(services, item, 'FAILED', error instanceof Refusal ? refusedWith(error) : interrupted)
  }
}

const nothing: Result = { problems: [], components: [], tests: [], version: null }

const refusedWith = ({ code, message }: { readonly code: string; readonly message: string }): Result => ({
  ...nothing,
  problems: [{ file: null, path: '', code, message }],
})

const interrupted = refusedWith({
  code: 'INTERRUPTED',
  message: 'The deployment was interrupted repeatedly; deploy again.',
})

async function carriedOut(services: Services, item: Leased<QueuedItem>, signal: AbortSignal): Promise<Outcome> {
  const organizationId = item.organization!
  const stored = await begun(services, item)
  if (stored.isCancelled) throw new Cancelled()
  const caller = await callerOf(services.database, organizationId, stored.caller)
  if (!caller) {
    const message = 'The user who requested the deployment may not act any more.'
    return ended(services, item, 'FAILED', refusedWith({ code: 'PERMISSION_DENIED', message }))
  }
  const { checkOnly, allowDestructive, expectedVersion, testLevel, tests, app } = stored
  let isFinished = false
  const result = await runDeployment(services, caller, {
    files: stored.files ? await filesStored(stored.files) : new Map(),
    checkOnly,
    allowDestructive,
    expectedVersion,
    testLevel,
    tests,
    app: app && app.slug,
    signal,
    beginTests: () => setStatus(services, item, 'TESTING'),
    begin: () => setStatus(services, item, 'DEPLOYING'),
    requireWanted: (sql = services.database) => requireWanted(sql, item),
    finish: async (ctx, done) => {
      await announced(ctx, item, done)
      if (app) await finishAppChange(ctx, app)
      isFinished = true
    },
  })
  if (isFinished) return recorded
  return ended(services, item, result.problems.length > 0 ? 'FAILED' : 'SUCCEEDED', {
    ...result,
    ...(checkOnly && { version: null }),
  })
}

/** Takes up a deployment; throws unless this attempt has its lease. */
async function begun(
  { database, clock }: Services,
  { id, token, organization }: Leased<QueuedItem>,
): Promise<StoredDeployment> {
  const [stored] = await database.query<StoredDeployment>(
    `update ${table} set status = 'VALIDATING', started_at = coalesce(started_at, $4)
     where organization_id = $1 and id = $2 and lease_token = $3 and state = 'QUEUED'
     returning check_only as "checkOnly", allow_destructive as "allowDestructive", expected_version as "expectedVersion",
       test_level as "testLevel", test_names as tests,
       caller, app, coalesce(files, (
         select v.files from extensions.app_version v where v.package_id = (app ->> 'packageId')::uuid and v.number = app ->> 'number'
       )) as files, is_cancelled as "isCancelled"`,
    [organization, id, token, clock.now().toISOString()],
    'WRITE',
  )
  if (!stored) throw new LeaseLost()
  return stored
}

async function setStatus(
  { database }: Services,
  { id, token, organization }: Leased<QueuedItem>,
  status: MetadataDeploymentStatus,
): Promise<void> {
  const [changed] = await database.query(
    `update ${table} set status = $4
     where organization_id = $1 and id = $2 and lease_token = $3 and state = 'QUEUED' returning 1`,
    [organization, id, token, status],
    'WRITE',
  )
  if (!changed) throw new LeaseLost()
}

/** In the transaction of the changes, which sees what was committed meanwhile, and before each test. */
async function requireWanted(sql: Sql, { id, token, organization }: Leased<QueuedItem>): Promise<void> {
  const [row] = await sql.query<{ isCancelled: boolean; isLeased: boolean }>(
    `select is_cancelled as "isCancelled", lease_token is not distinct from $3::uuid as "isLeased" from ${table}
     where organization_id = $1 and id = $2`,
    [organization, id, token],
  )
  if (!row?.isLeased) throw new LeaseLost()
  if (row.isCancelled) throw new Cancelled()
}

const countsOf = (components: readonly PlannedComponent[]): MetadataChangeNumbers => {
  const count = (wanted: PlannedComponent['change']) => components.filter(({ change }) => change === wanted).length
  return {
    created: count('CREATED'),
    updated: count('UPDATED'),
    unchanged: count('UNCHANGED'),
    deleted: count('DELETED'),
  }
}

const missingSecretsOf = (components: readonly PlannedComponent[]): MetadataMissingSecret[] =>
  components.flatMap(({ type, name, file, plan }) =>
    (plan?.missingSecrets ?? []).map((secret) => ({
      type: type as MetadataType,
      name,
      secret,
      file,
      path: type === 'FUNCTION' ? 'secrets' : 'authType',
    })),
  )

const warningsOf = (components: readonly PlannedComponent[]): MetadataWarning[] =>
  components.flatMap(({ type, name, plan }) =>
    (plan?.warnings ?? []).map((message) => ({ type: type as MetadataType, name, message })),
  )

/** `update` of the row of a deployment that has ended, while this attempt has its lease. One that was cancelled ends in no other way. */
function endedSql(
  values: Values,
  { id, token, organization }: Leased<QueuedItem>,
  status: MetadataDeploymentStatus,
  { components, problems, tests, version }: Result,
  at: Date,
): string {
  const shown = components.map(({ type, name, file, change }) => ({ type, name, file, change }))
  const row = {
    status,
    state: status === 'CANCELLED' ? 'CANCELLED' : 'DONE',
    is_due: false,
    lease_token: null,
    files: null,
    version,
    counts: components.length > 0 || status === 'SUCCEEDED' ? JSON.stringify(countsOf(components)) : null,
    components: JSON.stringify(shown),
    problems: JSON.stringify(problems.map(asProblem)),
    test_results: JSON.stringify(tests),
    missing_secrets: JSON.stringify(missingSecretsOf(components).slice(0, shownMax)),
    warnings: JSON.stringify(warningsOf(components).slice(0, shownMax)),
    ended_at: at.toISOString(),
    finished_at: at.toISOString(),
  }
  const where = { organization_id: organization, id, lease_token: token, state: 'QUEUED' }
  return updateRow(values, table, row, { ...where, ...(status !== 'CANCELLED' && { is_cancelled: false }) })
}

async function ended(
  services: Services,
  item: Leased<QueuedItem>,
  status: MetadataDeploymentStatus,
  result: Result,
): Promise<Outcome> {
  const { database, clock } = services
  const values = new Values()
  const [row] = await database.query(endedSql(values, item, status, result, clock.now()), values.list, 'WRITE')
  return row || status === 'CANCELLED' ? recorded : ended(services, item, 'CANCELLED', nothing)
}

/** The end of a deployment with its event, in the transaction of its changes. */
async function announced(ctx: MetadataContext, item: Leased<QueuedItem>, result: Result): Promise<void> {
  await requireWanted(ctx.db, item)
  const { created, updated, deleted } = countsOf(result.components)
  const next = {
    id: item.id,
    organizationId: item.organization!,
    version: result.version!,
    created,
    updated,
    deleted,
    createdById: ctx.caller.userId,
  }
  const change = { operation: 'CREATE' as const, previous: null, next }
  const isWritten = await writeChange(ctx, metadataDeployments, change, (values) =>
    endedSql(values, item, 'SUCCEEDED', result, ctx.clock.now()),
  )
  if (isWritten) return
  await requireWanted(ctx.db, item)
  throw new LeaseLost()
}
