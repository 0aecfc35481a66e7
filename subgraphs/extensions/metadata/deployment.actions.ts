import type { Caller } from '../../kernel/context.ts'
import type { Row } from '../../kernel/database/sql.ts'
import type { AppChange } from '../app/finish-app-change.ts'
import { withoutRowLimit } from '../../kernel/database/row-bytes.ts'
import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { newestFirst, type NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { Values } from '../../kernel/record/predicate.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { insertRow } from '../../kernel/record/write-change.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { TestingOptions } from './deployment-tests.ts'
import { deploymentTable } from './deployment.migrations.ts'
import type { MetadataDeployment } from './deployment.types.ts'
import { filesOfSource, storedFiles, type GivenSource } from './source-files.ts'
import { requestedBy } from './requested-by.ts'
import { readState, versionConflictText, versionOf } from './state.ts'

const { table } = deploymentTable

export interface DeploymentOptions extends TestingOptions {
  readonly checkOnly: boolean
  readonly allowDestructive: boolean
  readonly expectedVersion: string | null
}

/** Refuses a deployment that expects another version than the organization has, unless one that has not ended may bring the expected one. */
async function refuseOtherVersion(ctx: RequestContext, expected: string): Promise<void> {
  const { organizationId } = ctx.caller
  const underWay = await ctx.db.query(
    `select from ${table} where organization_id = $1 and state = 'QUEUED' and not check_only limit 1`,
    [organizationId],
  )
  if (underWay.length > 0) return
  // What an organization may define has bounds of its own.
  const state = await readState({ ...ctx, db: withoutRowLimit(ctx.db) }, { hasTexts: false })
  const version = await versionOf(state, organizationId)
  if (version !== expected) throw new Refusal('VERSION_CONFLICT', versionConflictText(version))
}

/**
 * Queues a deployment. What cannot be a project, or expects another version than the organization has, is refused at once; everything else is the
 * outcome of the deployment.
 */
export async function requestDeployment(
  ctx: RequestContext<'work'>,
  source: GivenSource,
  { checkOnly, allowDestructive, expectedVersion, testLevel, tests }: DeploymentOptions,
): Promise<MetadataDeployment> {
  requireAdministrator(ctx)
  const files = await filesOfSource(ctx, source)
  if (expectedVersion !== null) await refuseOtherVersion(ctx, expectedVersion)
  const id = await queueDeployment(ctx, ctx.caller, {
    check_only: checkOnly,
    allow_destructive: allowDestructive,
    expected_version: expectedVersion,
    test_level: testLevel,
    test_names: tests && JSON.stringify(tests),
    files: await storedFiles(files),
  })
  return readDeployment(ctx, id)
}

async function queueDeployment(ctx: RequestContext, by: Caller, options: Row): Promise<string> {
  const id = newId()
  const values = new Values()
  const row = {
    organization_id: ctx.caller.organizationId,
    id,
    caller: JSON.stringify(requestedBy(by)),
    created_by_id: ctx.caller.userId,
    requested_at: ctx.clock.now().toISOString(),
    ...options,
  }
  await ctx.db.query(insertRow(values, table, row), values.list, 'WRITE')
  return id
}

/**
 * Queues what an app's installation, update or removal does to the components of the organization. As a session would have every scope, the app is the
 * credential: its components act with the granted scopes only.
 */
export const requestAppDeployment = (
  ctx: RequestContext,
  change: AppChange,
  scopes: readonly string[],
): Promise<string> =>
  queueDeployment(
    ctx,
    { ...ctx.caller, kind: 'OAUTH', credentialId: change.installationId, scopes: [...scopes] },
    {
      check_only: false,
      allow_destructive: false,
      app: JSON.stringify(change),
    },
  )

const common = `d.id, d.status, d.check_only as "checkOnly", d.allow_destructive as "allowDestructive",
  d.test_level as "testLevel", d.expected_version as "expectedVersion", d.version, d.counts, d.requested_at as "createdAt", d.created_by_id as "createdById",
  d.started_at as "startedAt", d.ended_at as "endedAt", d.app ->> 'slug' as app`

export async function readDeployment({ db, caller }: RequestContext, id: string): Promise<MetadataDeployment> {
  const [row] = isId(id)
    ? await db.query<MetadataDeployment & Row>(
        `select ${common}, d.components, d.problems, d.test_results as "testResults", d.missing_secrets as "missingSecrets", d.warnings
         from ${table} d where d.organization_id = $1 and d.id = $2`,
        [caller.organizationId, id],
      )
    : []
  if (!row) throw notFound('The deployment')
  return row
}

export function readDeployments(ctx: RequestContext, args: NewestFirstArgs, info: SelectionInfo) {
  requireAdministrator(ctx)
  const list = {
    select: common,
    from: `${table} d where d.organization_id = $1`,
    values: [ctx.caller.organizationId],
    key: { sql: 'd.id', type: 'uuid', of: (row: Row) => row['id'] },
  } as const
  return newestFirst(ctx, list, args, info)
}

/** Ends a deployment that waits at once, and one that is carried out before it takes effect. */
export async function cancelDeployment(ctx: RequestContext, id: string): Promise<MetadataDeployment> {
  requireAdministrator(ctx)
  const { status } = await readDeployment(ctx, id)
  const [cancelled] = await ctx.db.query(
    `update ${table} set is_cancelled = true,
       status = case when lease_token is null then 'CANCELLED' else status end,
       state = case when lease_token is null then 'CANCELLED' else state end,
       is_due = is_due and lease_token is not null,
       files = case when lease_token is null then null else files end,
       ended_at = case when lease_token is null then $3 else ended_at end,
       finished_at = case when lease_token is null then statement_timestamp() else finished_at end
     where organization_id = $1 and id = $2 and state = 'QUEUED' returning 1`,
    [ctx.caller.organizationId, id, ctx.clock.now().toISOString()],
    'WRITE',
  )
  if (!cancelled) throw refusalInSituation(`The deployment has ended: it is ${status}.`, { state: status })
  return readDeployment(ctx, id)
}

/** Tests are named with the level SPECIFIED, and only then. */
export function requireTestNames({ testLevel, tests }: TestingOptions): void {
  const problem = (code: string, message: string) => invalid({ path: 'tests', code, message })
  if (testLevel !== 'SPECIFIED' && tests !== null)
    throw problem('NOT_TOGETHER', 'tests must be given with the testLevel SPECIFIED only.')
  if (testLevel === 'SPECIFIED' && !tests?.length)
    throw problem('REQUIRED', 'tests must name at least one test with the testLevel SPECIFIED.')
}

export function requireExpectedVersion(expected: string | null): void {
  if (expected === null || /^[\w-]{43}$/.test(expected)) return
  const message = 'expectedVersion must be the version of a retrieval or a deployment.'
  throw invalid({ path: 'expectedVersion', code: 'WRONG_FORMAT', message })
}
