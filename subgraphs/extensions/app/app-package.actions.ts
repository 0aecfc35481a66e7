import { notFound } from '../../kernel/errors.ts'
import { updateRow, writeChange } from '../../kernel/record/write-change.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { packageChanges } from './app.events.ts'
import { findPackage } from './app-package.ts'
import type { AppListing, AppPackage, AppPackageUpdateInput } from './app-package.types.ts'
import { lockPackages } from './publish.ts'

/** Sets the listing of a package as `listingAfter` decides; the packages of the organization are locked meanwhile. */
export async function changeListing(
  ctx: RequestContext,
  key: string,
  listingAfter: (listing: AppListing) => AppListing,
): Promise<AppPackage> {
  return inTransaction(ctx, async (inner) => {
    await lockPackages(inner)
    const previous = await findPackage(inner, key)
    const listing = listingAfter(previous.listing)
    if (listing === previous.listing) return previous
    const { organizationId } = inner.caller
    const row = { listing, requested_at: listing === 'REQUESTED' ? inner.clock.now().toISOString() : null }
    const change = {
      operation: 'UPDATE' as const,
      previous: { ...previous, organizationId },
      next: { ...previous, organizationId, listing },
    }
    await writeChange(inner, packageChanges, change, (values) =>
      updateRow(values, 'extensions.app_package', row, { organization_id: organizationId, id: previous.id }),
    )
    return { ...previous, listing }
  })
}

/** Asks for a place in the marketplace, or takes the app or the request back. */
export async function updatePackage(
  ctx: RequestContext,
  key: string,
  { isListed = null }: AppPackageUpdateInput,
): Promise<AppPackage> {
  requireAdministrator(ctx)
  return changeListing(ctx, key, (listing) => {
    if (isListed === null) return listing
    if (!isListed) return 'PRIVATE'
    return listing === 'PRIVATE' ? 'REQUESTED' : listing
  })
}

/** Nobody can install the app any more. Organizations that have it keep it, so its versions stay, and its slug is not free again. */
export async function deletePackage(ctx: RequestContext, key: string): Promise<string> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    await lockPackages(inner)
    const { organizationId } = inner.caller
    const previous = { ...(await findPackage(inner, key)), organizationId }
    const row = { deleted_at: inner.clock.now().toISOString(), requested_at: null }
    const change = { operation: 'DELETE' as const, previous, next: previous }
    const isWritten = await writeChange(inner, packageChanges, change, (values) =>
      updateRow(values, 'extensions.app_package', row, { organization_id: organizationId, id: previous.id }),
    )
    if (!isWritten) throw notFound('The app')
    return previous.id
  })
}
