import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { auditRecord } from '../audit/audit.ts'
import { shownToOrganization, type StoredUser } from './user.ts'

const record = {
  id: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  email: 'elin.wester@fjordline.example',
  emailVerified: false,
  name: 'Elin Wester',
  firstName: 'Elin',
  lastName: 'Wester',
  role: 'MEMBER',
  visibility: 'TEAM',
  profileId: null,
  managerId: '019a0c5e-7f00-7d3c-9b12-08e5f6a7b8c9',
  isActive: true,
  timezone: 'UTC',
  locale: 'en',
  avatar: 'https://pictures.fjordline.example/elin.png',
  createdAt: '2026-11-02T08:15:00.000Z',
  updatedAt: '2026-11-02T08:15:00.000Z',
}

export const userChanges: TrackedObject<StoredUser> = {
  object: 'user',
  audit: auditRecord('user', (user) => ({ ...shownToOrganization(user), externalId: user.externalId })),
  events: {
    types: {
      'user.created': { operation: 'CREATE', description: 'A person became a user of the organization.' },
      'user.updated': {
        operation: 'UPDATE',
        description:
          'A user was changed; previous holds the user before the change and changedFields lists the changed fields.',
        sample: { ...record, role: 'MANAGER', updatedAt: '2026-11-02T10:40:00.000Z' },
        before: { role: 'MEMBER', updatedAt: '2026-11-02T08:15:00.000Z' },
      },
      'user.deleted': { operation: 'DELETE', description: 'A user left the organization.' },
    },
    sample: record,
    payload: {
      properties: {
        id: 'id',
        organizationId: 'id',
        email: 'text',
        emailVerified: 'boolean',
        name: 'text',
        firstName: 'text?',
        lastName: 'text?',
        role: 'text',
        visibility: 'text',
        profileId: 'id?',
        managerId: 'id?',
        isActive: 'boolean',
        timezone: 'text',
        locale: 'text',
        avatar: 'text?',
        createdAt: 'timestamp',
        updatedAt: 'timestamp',
      },
      of: shownToOrganization,
    },
  },
}

/** Changes of a user without an event, with what the audit log shows of them: invitations, passwords, the id in a directory. */
export const userAudit: TrackedObject<{ readonly id: string }> = {
  object: 'user',
  audit: auditRecord('user', (user) => user),
}
