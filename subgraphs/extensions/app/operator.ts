import type { Row } from '../../kernel/database/sql.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { changeListing } from './app-package.actions.ts'
import type { AppListing } from './app-package.types.ts'

// How the operator of the platform decides which apps every organization finds.

/** The most requests of one list. */
const listedMax = 1_000

export interface ListingRequest {
  readonly slug: string
  readonly name: string
  readonly latestVersion: string
  readonly organizationId: string
  readonly publisherName: string
  readonly requestedAt: string
}

/** Requests for a place in the marketplace, the oldest first, at most 1,000. */
export const listingRequests = ({ database }: Pick<Services, 'database'>): Promise<ListingRequest[]> =>
  database.query<ListingRequest & Row>(
    `select slug, name, latest_number as "latestVersion", organization_id as "organizationId",
       publisher_name as "publisherName", requested_at as "requestedAt"
     from extensions.app_package where requested_at is not null order by requested_at, id limit ${listedMax}`,
  )

/** Approves the request of an app, or refuses it; refusing also takes an app out of the marketplace. Null if there is no such app. */
export async function decideListing(
  services: Services,
  slug: string,
  decision: 'approve' | 'refuse',
): Promise<AppListing | null> {
  const [found] = await services.database.query<{ id: string; organizationId: string }>(
    'select id, organization_id as "organizationId" from extensions.app_package where slug = $1 and deleted_at is null',
    [slug],
  )
  if (!found) return null
  const { listing } = await changeListing(systemContext(services, found.organizationId), found.id, (before) => {
    if (decision === 'refuse') return 'PRIVATE'
    if (before === 'PRIVATE') throw refusalInSituation('The publisher of the app has not asked for the listing.')
    return 'LISTED'
  })
  return listing
}
