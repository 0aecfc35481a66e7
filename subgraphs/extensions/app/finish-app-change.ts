import { connectInstalledApp, disconnectInstalledApp } from '../../identity/public.ts'
import type { Row } from '../../kernel/database/sql.ts'
import type { MetadataContext } from '../../kernel/metadata/component.ts'
import { deleteRow, updateRow, writeChange } from '../../kernel/record/write-change.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { installedApps, type AppInstalled } from './installed-app.events.ts'
import type { Slot } from './manifest.ts'

export const installedTable = 'extensions.installed_app'

/** For what the package of an app is deployed. */
export interface AppChange {
  readonly installationId: string
  readonly slug: string
  readonly packageId: string
  /** The version whose files are deployed, from where they are; null: none, so that everything of the app is removed. */
  readonly number: string | null
  readonly operation: 'INSTALL' | 'UPDATE' | 'UNINSTALL'
}

/** What an installation has of its version. */
export interface InstalledVersion {
  readonly name: string
  readonly publisherName: string
  readonly appVersion: string
  readonly scopes: readonly string[]
  /** Those that the version asks for. */
  readonly askedScopes: readonly string[]
  readonly settings: Readonly<Record<string, unknown>>
  readonly settingsSchema: Readonly<Record<string, unknown>> | null
  readonly slots: readonly Slot[]
  readonly clientId: string | null
}

export type StoredInstallation = Omit<InstalledVersion, 'appVersion'> &
  Row & {
    readonly id: string
    readonly organizationId: string
    readonly packageId: string
    readonly slug: string
    readonly appVersion: string | null
    readonly wanted: InstalledVersion | null
    readonly deploymentId: string | null
    readonly operation: AppChange['operation'] | null
  }

/** The installation, which stays locked; null if there is none. */
export async function lockInstallation({ db, caller }: RequestContext, id: string): Promise<StoredInstallation | null> {
  const [row] = await db.query<StoredInstallation>(
    `select id, organization_id as "organizationId", package_id as "packageId", slug, name, publisher_name as "publisherName",
       app_version as "appVersion", scopes, asked_scopes as "askedScopes", settings, settings_schema as "settingsSchema",
       slots, client_id as "clientId", wanted, deployment_id as "deploymentId", operation
     from ${installedTable} where organization_id = $1 and id = $2 for update`,
    [caller.organizationId, id],
    'WRITE',
  )
  return row ?? null
}

const told = (stored: StoredInstallation, version: InstalledVersion): AppInstalled => ({
  id: stored.id,
  organizationId: stored.organizationId,
  slug: stored.slug,
  name: version.name,
  publisherName: version.publisherName,
  appVersion: version.appVersion,
  scopes: version.scopes,
  deploymentId: stored.deploymentId,
})

/** Gives an installation its version, scopes and settings, and its OAuth app what it reads and may do. */
export async function setInstalledVersion(
  ctx: RequestContext,
  stored: StoredInstallation,
  next: InstalledVersion,
): Promise<void> {
  const { organizationId } = ctx.caller
  const { appVersion } = stored
  const previous = appVersion === null ? null : told(stored, { ...stored, appVersion })
  const row = {
    name: next.name,
    publisher_name: next.publisherName,
    app_version: next.appVersion,
    scopes: [...next.scopes],
    asked_scopes: [...next.askedScopes],
    settings: JSON.stringify(next.settings),
    settings_schema: next.settingsSchema && JSON.stringify(next.settingsSchema),
    slots: JSON.stringify(next.slots),
    client_id: next.clientId,
    wanted: null,
    updated_at: ctx.clock.now().toISOString(),
  }
  const change = { operation: previous ? ('UPDATE' as const) : ('CREATE' as const), previous, next: told(stored, next) }
  await writeChange(ctx, installedApps, change, (values) =>
    updateRow(values, installedTable, row, { organization_id: organizationId, id: stored.id }),
  )
  if (stored.clientId !== null && stored.clientId !== next.clientId) await disconnectInstalledApp(ctx, stored.clientId)
  if (next.clientId !== null) await connectInstalledApp(ctx, { ...next, appId: next.clientId })
}

/** The end of an installation, update or removal, in the transaction that changes the components. */
export async function finishAppChange(ctx: MetadataContext, { installationId, operation }: AppChange): Promise<void> {
  const stored = await lockInstallation(ctx, installationId)
  if (!stored) throw new Error('The installation of a deployment does not exist.')
  if (operation !== 'UNINSTALL') return setInstalledVersion(ctx, stored, stored.wanted!)
  const last = told(stored, { ...stored, appVersion: stored.appVersion! })
  await writeChange(ctx, installedApps, { operation: 'DELETE', previous: last, next: last }, (values) =>
    deleteRow(values, installedTable, { organization_id: stored.organizationId, id: stored.id }),
  )
  if (stored.clientId !== null) await disconnectInstalledApp(ctx, stored.clientId)
}
