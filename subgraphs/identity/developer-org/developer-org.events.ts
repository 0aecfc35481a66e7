import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { auditRecord } from '../audit/audit.ts'
import type { DeveloperOrg } from './developer-org.ts'

/** What the organization that a developer organization belongs to learns. The developer organization has events of its own. */
export const developerOrgChanges: TrackedObject<DeveloperOrg> = {
  object: 'developer_org',
  audit: auditRecord('developer_org', (developerOrg) => developerOrg),
  events: {
    types: {
      'developer_org.created': { operation: 'CREATE', description: 'A developer organization was created.' },
      'developer_org.deleted': {
        operation: 'DELETE',
        description: 'A developer organization was deleted: none of its credentials works any more.',
      },
    },
    sample: {
      id: '019a0c5e-7f00-7d3e-9b64-5c8f2e1a7d40',
      organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
      name: 'Fjordline sandbox',
      status: 'ACTIVE',
      createdAt: '2026-11-02T08:15:00.000Z',
      updatedAt: '2026-11-02T08:15:00.000Z',
    },
    payload: {
      properties: {
        id: 'id',
        organizationId: 'id',
        name: 'text',
        status: 'text',
        createdAt: 'timestamp',
        updatedAt: 'timestamp',
      },
      of: (developerOrg) => developerOrg,
    },
  },
}
