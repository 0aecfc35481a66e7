import { invalid, notFound, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { newestFirst, type NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import type { Row } from '../../kernel/database/sql.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { problemOfValue } from '../action/bounded-schema.ts'
import { requestAppDeployment } from '../metadata/deployment.actions.ts'
import { readVersionToInstall, type VersionToInstall } from './app-package.ts'
import {
  installedTable,
  lockInstallation,
  setInstalledVersion,
  type AppChange,
  type InstalledVersion,
  type StoredInstallation,
} from './finish-app-change.ts'
import { lockPackages } from './publish.ts'
import { settingsCharactersMax, type InstalledApp } from './installed-app.types.ts'

/** Apps of an organization. */
export const installedMax = 50

const view = 'extensions.installed_app_with_state'
const columns = `i.id, i.organization_id as "organizationId", i.slug, i.name, i.publisher_name as "publisherName", i.status, i.app_version as "appVersion",
  (select p.latest_number from extensions.app_package p where p.id = i.package_id and p.deleted_at is null) as "latestVersion",
  i.scopes, i.settings, i.settings_schema as "settingsSchema", i.client_id as "clientId", i.deployment_id as "deploymentId",
  i.installed_by_id as "installedById", i.created_at as "createdAt", i.updated_at as "updatedAt", i.slots`

export function readInstalledApps(ctx: RequestContext, args: NewestFirstArgs, info: SelectionInfo) {
  const list = {
    select: columns,
    from: `${view} i where i.organization_id = $1`,
    values: [ctx.caller.organizationId],
    key: { sql: 'i.id', type: 'uuid', of: (row: Row) => row['id'] },
  } as const
  return newestFirst(ctx, list, args, info)
}

export async function readInstalledApp({ db, caller }: RequestContext, id: string): Promise<InstalledApp> {
  const [row] = isId(id)
    ? await db.query<InstalledApp & Row>(
        `select ${columns} from ${view} i where i.organization_id = $1 and i.id = $2`,
        [caller.organizationId, id],
      )
    : []
  if (!row) throw notFound('The app')
  return row
}

const isObject = isJsonObject as (value: unknown) => value is Readonly<Record<string, unknown>>

function settingsProblems(schema: InstalledVersion['settingsSchema'], settings: unknown): FieldProblem[] {
  const refused = (code: string, message: string): FieldProblem[] => [{ path: 'settings', code, message }]
  if (!isObject(settings)) return refused('WRONG_TYPE', 'settings must be a JSON object.')
  if (JSON.stringify(settings).length > settingsCharactersMax)
    return refused('TOO_LONG', `settings must have at most ${settingsCharactersMax} characters as JSON.`)
  if (schema === null) {
    return Object.keys(settings).length === 0 ? [] : refused('NOT_ALLOWED', 'settings must be empty: the app has none.')
  }
  const problem = problemOfValue(schema, 'settings', settings, 'the app')
  return problem ? [problem] : []
}

const scopeProblems = (asked: readonly string[], granted: readonly string[]): FieldProblem[] =>
  granted.flatMap((scope, index) => {
    const path = `scopes.${index}`
    if (granted.indexOf(scope) < index) return [{ path, code: 'NOT_UNIQUE', message: `${path} must not be repeated.` }]
    const message = `${path} must be one of the scopes that the version asks for: ${asked.join(', ') || 'none'}.`
    return asked.includes(scope) ? [] : [{ path, code: 'UNKNOWN_SCOPE', message }]
  })

interface Grant {
  readonly scopes: readonly string[]
  readonly settings: unknown
}

/** A version with what the organization grants and sets. */
function grantedVersion(version: VersionToInstall, { scopes, settings }: Grant): InstalledVersion {
  const problems = [...scopeProblems(version.scopes, scopes), ...settingsProblems(version.settingsSchema, settings)]
  if (problems.length > 0) throw invalid(...problems)
  const { name, publisherName, number: appVersion, settingsSchema, slots, clientId, scopes: askedScopes } = version
  const granted = { scopes: [...scopes].toSorted(), settings: settings as InstalledVersion['settings'] }
  return { name, publisherName, appVersion, askedScopes, settingsSchema, slots, clientId, ...granted }
}

/** Queues the deployment of what is wanted of a locked installation. */
async function deployed(
  ctx: RequestContext,
  { id, packageId, slug }: Pick<StoredInstallation, 'id' | 'packageId' | 'slug'>,
  operation: AppChange['operation'],
  wanted: InstalledVersion | null,
): Promise<void> {
  const change = { installationId: id, slug, packageId, number: wanted && wanted.appVersion, operation }
  const deploymentId = await requestAppDeployment(ctx, change, wanted?.scopes ?? [])
  await ctx.db.query(
    `update ${installedTable} set wanted = $3, deployment_id = $4, operation = $5 where organization_id = $1 and id = $2`,
    [ctx.caller.organizationId, id, wanted && JSON.stringify(wanted), deploymentId, operation],
    'WRITE',
  )
}

async function requireNoDeployment(ctx: RequestContext, { id }: { readonly id: string }): Promise<void> {
  const { status, deploymentId } = await readInstalledApp(ctx, id)
  if (status === 'INSTALLED' || status === 'FAILED') return
  const message = `The app is ${status}; wait until its deployment ${deploymentId} has ended.`
  throw refusalInSituation(message, { state: status })
}

async function requireFewApps({ db, caller }: RequestContext): Promise<void> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from ${installedTable} where organization_id = $1`,
    [caller.organizationId],
  )
  if (row!.count <= installedMax) return
  const message = `An organization must have at most ${installedMax} apps; remove one first.`
  throw invalid({ path: 'slug', code: 'TOO_MANY', message })
}

export interface Installation extends Grant {
  readonly slug: string
  readonly appVersion: string | null
}

/** Installs an app: its components are deployed as a whole, and belong to it. */
export async function installApp(
  ctx: RequestContext,
  { slug, appVersion, scopes, settings }: Installation,
): Promise<InstalledApp> {
  requireAdministrator(ctx)
  const version = await readVersionToInstall(ctx, slug, appVersion)
  const wanted = grantedVersion(version, { scopes, settings: settings ?? {} })
  return inTransaction(ctx, async (inner) => {
    await lockPackages(inner)
    const id = await claimInstallation(inner, version, wanted)
    await deployed(inner, { ...version, id }, 'INSTALL', wanted)
    return readInstalledApp(inner, id)
  })
}

/** The locked installation of a package that is not installed: a new one, or one that has failed. */
async function claimInstallation(
  ctx: RequestContext,
  { packageId, slug }: VersionToInstall,
  { name, publisherName }: InstalledVersion,
): Promise<string> {
  const { db, caller, clock } = ctx
  const now = clock.now().toISOString()
  const [added] = await db.query<{ id: string }>(
    `insert into ${installedTable} (organization_id, id, package_id, slug, name, publisher_name, installed_by_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8) on conflict do nothing returning id`,
    [caller.organizationId, newId(), packageId, slug, name, publisherName, caller.userId, now],
    'WRITE',
  )
  if (added) {
    await requireFewApps(ctx)
    return added.id
  }
  const [existing] = await db.query<{ id: string; appVersion: string | null }>(
    `select id, app_version as "appVersion" from ${installedTable} where organization_id = $1 and package_id = $2 for update`,
    [caller.organizationId, packageId],
    'WRITE',
  )
  if (!existing) throw refusalInSituation('The app was removed at this moment; install it again.')
  await requireNoDeployment(ctx, existing)
  if (existing.appVersion === null) return existing.id
  const message = `The app ${slug} is installed already.`
  const errors = [{ path: 'slug', code: 'NOT_UNIQUE', message, conflictingId: existing.id }]
  throw new Refusal('UNIQUE_VIOLATION', message, { errors })
}

export interface InstallationChange {
  readonly appVersion: string | null
  readonly scopes: readonly string[] | null
  readonly settings: unknown
}

async function requireInstalled(ctx: RequestContext, id: string): Promise<StoredInstallation & { appVersion: string }> {
  const stored = isId(id) ? await lockInstallation(ctx, id) : null
  if (!stored) throw notFound('The app')
  await requireNoDeployment(ctx, stored)
  if (stored.appVersion === null)
    throw refusalInSituation('The app could not be installed: install it again, or remove it.', { state: 'FAILED' })
  return stored as StoredInstallation & { appVersion: string }
}

/** The scopes after an update. What a version asks for in addition must be granted or left out expressly. */
function scopesAfter(stored: StoredInstallation, version: VersionToInstall, given: readonly string[] | null) {
  if (given !== null) return given
  const additional = version.scopes.filter((scope) => !stored.askedScopes.includes(scope))
  if (additional.length === 0) return stored.scopes.filter((scope) => version.scopes.includes(scope))
  const message = `scopes must be given, because version ${version.number} also asks for ${additional.join(', ')}.`
  throw invalid({ path: 'scopes', code: 'REQUIRED', message })
}

/** Whether a change asks for no other version and no other scopes than those in use, so that nothing has to be deployed. */
const isInUse = (stored: StoredInstallation, { appVersion, scopes }: InstallationChange): boolean =>
  (appVersion ?? stored.appVersion) === stored.appVersion &&
  (scopes === null || isSameValue(scopes.toSorted(), stored.scopes.toSorted()))

/** Changes the version, the scopes or the settings. Settings alone take effect at once; the others with a deployment. */
export function updateApp(ctx: RequestContext, id: string, change: InstallationChange): Promise<InstalledApp> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const stored = await requireInstalled(inner, id)
    const settings = change.settings ?? stored.settings
    if (isInUse(stored, change)) {
      const problems = settingsProblems(stored.settingsSchema, settings)
      if (problems.length > 0) throw invalid(...problems)
      const isChanged = JSON.stringify(settings) !== JSON.stringify(stored.settings)
      if (isChanged)
        await setInstalledVersion(inner, stored, { ...stored, settings: settings as InstalledVersion['settings'] })
    } else {
      const version = await readVersionToInstall(inner, stored.slug, change.appVersion ?? stored.appVersion)
      const wanted = grantedVersion(version, { scopes: scopesAfter(stored, version, change.scopes), settings })
      await deployed(inner, stored, 'UPDATE', wanted)
    }
    return readInstalledApp(inner, id)
  })
}

/** Removes an app with its components. One that could not be installed has none, so it is removed at once. */
export function uninstallApp(ctx: RequestContext, id: string): Promise<InstalledApp> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const stored = isId(id) ? await lockInstallation(inner, id) : null
    if (!stored) throw notFound('The app')
    await requireNoDeployment(inner, stored)
    if (stored.appVersion !== null) {
      await deployed(inner, stored, 'UNINSTALL', null)
      return readInstalledApp(inner, id)
    }
    const last = await readInstalledApp(inner, id)
    await inner.db.query(
      `delete from ${installedTable} where organization_id = $1 and id = $2`,
      [inner.caller.organizationId, id],
      'WRITE',
    )
    return last
  })
}
