import { isOfSameDeveloperSql } from '../../identity/public.ts'
import type { Row } from '../../kernel/database/sql.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { newestFirst, type NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { AppPackage, AppVersion } from './app-package.types.ts'
import { numberPattern, slugPattern } from './bounds.ts'
import type { Slot } from './manifest.ts'

const packageColumns = `p.id, p.slug, p.name, p.description, p.homepage_url as "homepageUrl", p.listing,
  p.latest_number as "latestVersion", p.version_count as "versionCount", p.published_at as "publishedAt",
  p.created_at as "createdAt", p.created_by_id as "createdById"`
const ownPackages = 'extensions.app_package p where p.organization_id = $1 and p.deleted_at is null'

/** A package of the organization, by its id or slug. */
export async function findPackage({ db, caller }: RequestContext, key: string): Promise<AppPackage> {
  const column = isId(key) ? 'id' : 'slug'
  const [row] =
    isId(key) || slugPattern.test(key)
      ? await db.query<AppPackage & Row>(`select ${packageColumns} from ${ownPackages} and p.${column} = $2`, [
          caller.organizationId,
          key,
        ])
      : []
  if (!row) throw notFound('The app')
  return row
}

export function readPackageOf(ctx: RequestContext, key: string): Promise<AppPackage> {
  requireAdministrator(ctx)
  return findPackage(ctx, key)
}

export function readPackages(ctx: RequestContext, args: NewestFirstArgs, info: SelectionInfo) {
  requireAdministrator(ctx)
  const list = {
    select: packageColumns,
    from: ownPackages,
    values: [ctx.caller.organizationId],
    key: { sql: 'p.id', type: 'uuid', of: (row: Row) => row['id'] },
  } as const
  return newestFirst(ctx, list, args, info)
}

const summaryColumns = `v.package_id as "packageId", p.slug, v.number, v.scopes, v.release_notes as "releaseNotes", v.client_id as "clientId",
  v.sha256, v.created_at as "createdAt", v.created_by_id as "createdById"`
const versionColumns = `${summaryColumns}, v.settings_schema as "settingsSchema", v.slots, v.components`
const ownVersions = `extensions.app_version v
  join extensions.app_package p on p.organization_id = v.organization_id and p.id = v.package_id
  where v.organization_id = $1 and p.deleted_at is null`

export async function readVersionById({ db, caller }: RequestContext, id: string): Promise<AppVersion> {
  const [row] = await db.query<AppVersion & Row>(`select ${versionColumns} from ${ownVersions} and v.id = $2`, [
    caller.organizationId,
    id,
  ])
  if (!row) throw notFound('The version')
  return row
}

/** A version of a package of the organization, by its number. */
export async function readVersionOf(ctx: RequestContext, key: string, number: string): Promise<AppVersion> {
  requireAdministrator(ctx)
  const { id } = await findPackage(ctx, key)
  const [row] = numberPattern.test(number)
    ? await ctx.db.query<AppVersion & Row>(
        `select ${versionColumns} from ${ownVersions} and v.package_id = $2 and v.number = $3`,
        [ctx.caller.organizationId, id, number],
      )
    : []
  if (!row) throw notFound('The version')
  return row
}

export async function readVersionsOf(ctx: RequestContext, key: string, args: NewestFirstArgs, info: SelectionInfo) {
  requireAdministrator(ctx)
  const { id } = await findPackage(ctx, key)
  const list = {
    select: `${summaryColumns}, v.position`,
    from: `${ownVersions} and v.package_id = $2`,
    values: [ctx.caller.organizationId, id],
    key: { sql: 'v.position', type: 'integer', of: (row: Row) => row['position'] },
  } as const
  return newestFirst(ctx, list, args, info)
}

/**
 * SQL condition of the packages that the organization `$1` may install: its own, those in the marketplace, those of the organization that it develops for
 * and of its developer organizations, and what it has installed. Row-level security has the same rule.
 */
export const installable = `(p.organization_id = $1 or p.listing = 'LISTED' or ${isOfSameDeveloperSql('p.organization_id')}
  or exists (select from extensions.installed_app i where i.organization_id = $1 and i.package_id = p.id and i.app_version is not null)) and p.deleted_at is null`

/** A version with all that its installation needs. Its deployment reads the files. */
export interface VersionToInstall extends Pick<AppVersion, 'number' | 'scopes' | 'clientId'> {
  readonly packageId: string
  readonly slug: string
  readonly name: string
  readonly publisherName: string
  readonly settingsSchema: Readonly<Record<string, unknown>> | null
  readonly slots: readonly Slot[]
}

/** The version of an app that the organization may install; the latest one without a number. */
export async function readVersionToInstall(
  { db, caller }: RequestContext,
  slug: string,
  number: string | null,
): Promise<VersionToInstall> {
  const [row] =
    slugPattern.test(slug) && (number === null || numberPattern.test(number))
      ? await db.query<VersionToInstall & Row>(
          `select p.id as "packageId", p.slug, p.name, p.publisher_name as "publisherName", v.number, v.scopes,
             v.settings_schema as "settingsSchema", v.slots, v.client_id as "clientId"
           from extensions.app_package p
           join extensions.app_version v on v.organization_id = p.organization_id and v.package_id = p.id
           where p.slug = $2 and ${installable} and v.number = coalesce($3, p.latest_number)`,
          [caller.organizationId, slug, number],
        )
      : []
  if (!row) throw notFound(number === null ? 'The app' : 'The version of the app')
  return row
}
