import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { auditRecord } from '../audit/audit.ts'
import type { StoredConnection } from './meeting.ts'

const record = {
  id: '019a0c5e-7f00-7b3a-8d10-5c2e9f7a4b61',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  userId: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  provider: 'zoom',
  scope: 'meeting:write',
  connectedAt: '2026-11-02T08:15:00.000Z',
}

export const meetingConnectionChanges: TrackedObject<StoredConnection> = {
  object: 'meeting_connection',
  audit: auditRecord('meeting_connection', ({ provider, scope, userId }) => ({ provider, scope, userId })),
  events: {
    types: {
      'meeting_connection.created': { operation: 'CREATE', description: 'A user connected a meeting provider.' },
      'meeting_connection.deleted': {
        operation: 'DELETE',
        description: 'A user disconnected a meeting provider, or connected it again; the former tokens were deleted.',
      },
    },
    sample: record,
    payload: {
      properties: {
        id: 'id',
        organizationId: 'id',
        userId: 'id',
        provider: 'text',
        scope: 'text?',
        connectedAt: 'timestamp',
      },
      of: (record) => record,
    },
  },
}
