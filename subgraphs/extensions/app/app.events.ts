import { auditRecord } from '../../identity/public.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'

/** A version of an app that was published. */
export interface PublishedVersion {
  readonly id: string
  readonly organizationId: string
  readonly packageId: string
  readonly slug: string
  readonly name: string
  readonly number: string
  readonly scopes: readonly string[]
  readonly createdById: string | null
}

const shownVersion = ({
  id,
  organizationId,
  packageId,
  slug,
  name,
  number,
  scopes,
  createdById,
}: PublishedVersion) => ({
  id,
  organizationId,
  packageId,
  slug,
  name,
  number,
  scopes,
  createdById,
})

const organizationId = '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01'
const packageId = '019a0c5e-7f00-7f41-9d20-6c8a2b3e5d10'

export const publishedVersions: TrackedObject<PublishedVersion> = {
  object: 'app',
  eventTypes: { CREATE: 'app.published' },
  isAdministrative: true,
  events: {
    types: {
      'app.published': {
        operation: 'CREATE',
        description: 'The organization has published a version of an app.',
      },
    },
    sample: {
      id: '019a0c5e-7f00-7f42-8b31-7d9b3c4f6e21',
      organizationId,
      packageId,
      slug: 'site-maps',
      name: 'Site maps',
      number: '1.4.0',
      scopes: ['READ_ACCOUNTS'],
      createdById: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    },
    payload: {
      properties: {
        id: 'id',
        organizationId: 'id',
        packageId: 'id',
        slug: 'text',
        name: 'text',
        number: 'text',
        scopes: 'textList',
        createdById: 'id?',
      },
      of: shownVersion,
    },
  },
  audit: auditRecord('app', shownVersion),
}

/** A package, as far as its own operations change it. */
export interface ChangedPackage {
  readonly id: string
  readonly organizationId: string
  readonly slug: string
  readonly name: string
  readonly latestVersion: string
  readonly listing: string
}

const shownPackage = ({ id, organizationId: of, slug, name, latestVersion, listing }: ChangedPackage) => ({
  id,
  organizationId: of,
  slug,
  name,
  latestVersion,
  listing,
})

export const packageChanges: TrackedObject<ChangedPackage> = {
  object: 'app_package',
  isAdministrative: true,
  events: {
    types: {
      'app_package.updated': {
        operation: 'UPDATE',
        description:
          'The listing of an app in the marketplace was requested, approved, refused or ended; previous holds the package before the change and changedFields lists the changed fields.',
        before: { listing: 'REQUESTED' },
      },
      'app_package.deleted': {
        operation: 'DELETE',
        description: 'An app was deleted: nobody can install it any more.',
      },
    },
    sample: {
      id: packageId,
      organizationId,
      slug: 'site-maps',
      name: 'Site maps',
      latestVersion: '1.4.0',
      listing: 'LISTED',
    },
    payload: {
      properties: {
        id: 'id',
        organizationId: 'id',
        slug: 'text',
        name: 'text',
        latestVersion: 'text',
        listing: 'text',
      },
      of: shownPackage,
    },
  },
  audit: auditRecord('app_package', shownPackage),
}
