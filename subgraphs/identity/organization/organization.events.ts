import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { auditChange } from '../audit/audit.ts'
import type { Organization } from './organization.ts'
import type { OrganizationSettings } from './organization-settings.ts'

const record = {
  id: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  name: 'Fjordline Freight Systems',
  status: 'ACTIVE',
  entitlements: [],
  createdAt: '2026-11-02T08:15:00.000Z',
  updatedAt: '2026-11-02T08:15:00.000Z',
}

type OrganizationWithSettings = Organization & { readonly settings?: OrganizationSettings }

export const organizationChanges: TrackedObject<OrganizationWithSettings> = {
  object: 'organization',
  audit: auditChange('organization', ({ previous, next }) => ({
    before: previous,
    after: previous ? { ...next, updatedAt: previous.updatedAt } : next,
  })),
  events: {
    types: {
      'organization.created': { operation: 'CREATE', description: 'The organization was created.' },
      'organization.updated': {
        operation: 'UPDATE',
        description:
          'The organization was suspended or resumed, or its name, code, settings or entitlements changed; previous holds the organization before the change.',
        sample: { ...record, status: 'SUSPENDED', updatedAt: '2026-11-02T10:40:00.000Z' },
        before: { status: 'ACTIVE', updatedAt: '2026-11-02T08:15:00.000Z' },
      },
    },
    sample: record,
    payload: {
      properties: {
        id: 'id',
        name: 'text',
        status: 'text',
        entitlements: 'textList',
        createdAt: 'timestamp',
        updatedAt: 'timestamp',
      },
      // Everybody with the code can join, so events do not contain it. Settings appear only as a name in `changedFields`.
      of: ({ id, name, status, entitlements, createdAt, updatedAt }) => ({
        id,
        name,
        code: null,
        status,
        entitlements,
        createdAt,
        updatedAt,
      }),
    },
  },
}
