import { notFound } from '../../kernel/errors.ts'
import type { Row } from '../../kernel/database/sql.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { InstalledVersion } from './finish-app-change.ts'

/** A version as its package has it. */
export interface InstallableVersion extends Pick<
  InstalledVersion,
  'name' | 'publisher' | 'settingsSchema' | 'slots' | 'clientId'
> {
  readonly packageId: string
  readonly slug: string
  readonly number: string
  readonly scopes: readonly string[]
  readonly files: Uint8Array
}

/**
 * SQL condition of the packages that the organization of the request may install: those of the marketplace, of itself, of the organization that it
 * develops for and of its developer organizations, and those that it has installed. Row-level security has the same rule.
 */
const isInstallable = `(p.listing = 'LISTED' or identity.is_of_same_developer(p.organization_id)
  or exists (select from extensions.installed_app i where i.organization_id = $3 and i.package_id = p.id))`

/** A version of an app that the caller's organization may install; the newest if none is named. */
export async function versionToInstall(
  { db, caller }: RequestContext,
  slug: string,
  number: string | null,
): Promise<InstallableVersion> {
  const [row] = await db.query<InstallableVersion & Row>(
    `select p.id as "packageId", p.slug, p.name, p.publisher_name as publisher, v.number, v.scopes,
       v.settings_schema as "settingsSchema", v.slots, v.client_id as "clientId", v.files
     from extensions.app_package p
     join extensions.app_version v on v.package_id = p.id and v.number = coalesce($2, p.latest_number)
     where p.slug = $1 and p.deleted_at is null and ${isInstallable}`,
    [slug, number, caller.organizationId],
  )
  if (!row) throw notFound('The version of the app')
  return row
}
