import type { Row } from '../../kernel/database/sql.ts'
import { notFound } from '../../kernel/errors.ts'
import { newestFirst } from '../../kernel/record/newest-first.ts'
import { Values } from '../../kernel/record/predicate.ts'
import { searchCondition } from '../../kernel/record/search.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { installable } from './app-package.ts'
import { shownVersionsMax, slugPattern } from './bounds.ts'
import type { MarketplaceApp, MarketplaceAppListArgs, MarketplaceVersion } from './marketplace.types.ts'

const searched = ['slug', 'name', 'description']
const searchable = { hasSearchText: true, searchable: searched }
const searchedColumns = searched.map((name) => ({ sql: (alias: string) => `${alias}.${name}` }))

/** A page costs as much as it shows, however many apps there are: each of the two parts is read by its index in the order of ids. */
export function readMarketplace(ctx: RequestContext, args: MarketplaceAppListArgs, info: SelectionInfo) {
  const values = new Values()
  const organization = values.add(ctx.caller.organizationId)
  const search = args.search ? ` and ${searchCondition(searchable, searchedColumns, args.search, 'p', values)}` : ''
  const list = {
    select: `p.id, p.slug, p.name, p.description, p.homepage_url as "homepageUrl", p.publisher_name as "publisherName",
      p.listing = 'LISTED' as "isListed", p.latest_number as "latestVersion", p.published_at as "publishedAt"`,
    from: [
      `extensions.marketplace_app p where p.organization_id <> ${organization}${search}`,
      `extensions.app_package p where p.organization_id = ${organization} and p.deleted_at is null${search}`,
    ],
    values: values.list,
    key: { sql: 'p.id', type: 'uuid', of: (row: Row) => row['id'] },
  } as const
  return newestFirst(ctx, list, args, info)
}

/** An app that the organization may install. */
export async function readMarketplaceApp({ db, caller }: RequestContext, slug: string): Promise<MarketplaceApp> {
  const [app] = slugPattern.test(slug)
    ? await db.query<Omit<MarketplaceApp, 'versions'> & { packageId: string; publisherId: string } & Row>(
        `select p.id as "packageId", p.organization_id as "publisherId", p.slug, p.name, p.description,
           p.homepage_url as "homepageUrl", p.publisher_name as "publisherName", p.listing = 'LISTED' as "isListed",
           p.latest_number as "latestVersion", p.published_at as "publishedAt", v.scopes,
           v.settings_schema as "settingsSchema", v.slots, v.components, v.client_id is not null as "hasClient",
           (select i.app_version from extensions.installed_app i
            where i.organization_id = $1 and i.package_id = p.id) as "installedVersion"
         from extensions.app_package p
         join extensions.app_version v
           on v.organization_id = p.organization_id and v.package_id = p.id and v.number = p.latest_number
         where p.slug = $2 and ${installable}`,
        [caller.organizationId, slug],
      )
    : []
  if (!app) throw notFound('The app')
  const { packageId, publisherId, ...shown } = app
  const versions = await db.query<MarketplaceVersion & Row>(
    `select number, release_notes as "releaseNotes", created_at as "createdAt" from extensions.app_version
     where organization_id = $1 and package_id = $2 order by position desc limit ${shownVersionsMax}`,
    [publisherId, packageId],
  )
  return { ...shown, versions } as unknown as MarketplaceApp
}
