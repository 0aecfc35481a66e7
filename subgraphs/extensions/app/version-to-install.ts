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

/** A version of an app that the caller's organization may install; the newest if none is named. Row-level security hides the others. */
export async function versionToInstall(
  { db }: RequestContext,
  slug: string,
  number: string | null,
): Promise<InstallableVersion> {
  const [row] = await db.query<InstallableVersion & Row>(
    `select p.id as "packageId", p.slug, p.name, p.publisher_name as publisher, v.number, v.scopes,
       v.settings_schema as "settingsSchema", v.slots, v.client_id as "clientId", v.files
     from extensions.app_package p
     join extensions.app_version v on v.package_id = p.id and v.number = coalesce($2, p.latest_number)
     where p.slug = $1 and p.deleted_at is null`,
    [slug, number],
  )
  if (!row) throw notFound('The version of the app')
  return row
}
