import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { auditRecord } from '../../identity/public.ts'

/** A deployment that has changed something. */
export interface DeployedMetadata {
  readonly id: string
  readonly organizationId: string
  readonly version: string
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly createdById: string | null
}

const shown = ({ id, organizationId, version, created, updated, deleted, createdById }: DeployedMetadata) => ({
  id,
  organizationId,
  version,
  created,
  updated,
  deleted,
  createdById,
})

/** The event of a deployment, besides those of the components that it changes. */
export const metadataDeployments: TrackedObject<DeployedMetadata> = {
  object: 'metadata',
  eventTypes: { CREATE: 'metadata.deployed' },
  isAdministrative: true,
  events: {
    types: {
      'metadata.deployed': {
        operation: 'CREATE',
        description:
          'A deployment of metadata has changed the organization: its version after it, and the numbers of created, updated and deleted components.',
      },
    },
    sample: {
      id: '019a0c5e-7f00-7d31-8c22-5b7e9a1c4f08',
      organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
      version: 'k3VYw1kqfG2oG0y7l1cTj0m2o7Q3n9mJ0d8yqL2eXxA',
      created: 2,
      updated: 1,
      deleted: 0,
      createdById: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    },
    payload: {
      properties: {
        id: 'id',
        organizationId: 'id',
        version: 'text',
        created: 'integer',
        updated: 'integer',
        deleted: 'integer',
        createdById: 'id?',
      },
      of: shown,
    },
  },
  audit: auditRecord('metadata', shown),
}
