import { newId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { endAccess } from './connected-app.actions.ts'

/** What an organization granted and set for an app that it installed, and whose OAuth app acts for it. */
export interface InstalledClient {
  readonly appId: string
  readonly appVersion: string
  readonly scopes: readonly string[]
  readonly settings: Readonly<Record<string, unknown>>
}

/** From now on the tokens of the OAuth app have the granted scopes at most, and it reads these settings. */
export async function connectInstalledApp(
  { db, caller, clock }: RequestContext,
  { appId, appVersion, scopes, settings }: InstalledClient,
): Promise<void> {
  await db.query(
    `insert into identity.oauth_installation as i
       (organization_id, id, app_id, settings, package_version, granted_scopes, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)
     on conflict (organization_id, app_id) do update set settings = excluded.settings, version = i.version + 1,
       package_version = excluded.package_version, granted_scopes = excluded.granted_scopes, updated_at = excluded.updated_at`,
    [
      caller.organizationId,
      newId(),
      appId,
      JSON.stringify(settings),
      appVersion,
      [...scopes],
      clock.now().toISOString(),
    ],
    'WRITE',
  )
}

/** Ends all access of the OAuth app of an app that is removed. */
export async function disconnectInstalledApp(ctx: RequestContext, appId: string): Promise<void> {
  await endAccess(ctx, appId)
  const which = [ctx.caller.organizationId, appId]
  await ctx.db.query('delete from identity.oauth_token where organization_id = $1 and app_id = $2', which, 'WRITE')
  await ctx.db.query(
    'delete from identity.oauth_installation where organization_id = $1 and app_id = $2',
    which,
    'WRITE',
  )
}
