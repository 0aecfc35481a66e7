import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { auditChange } from '../audit/audit.ts'

const record = {
  id: '019a0c5e-7f00-7e6a-84d9-3b7c5f1e02a8',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  userId: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
}

interface SessionPayload {
  readonly id: string
  readonly organizationId: string
  readonly userId: string
  readonly ip?: string
  readonly userAgent?: string
  readonly createdAt?: string
  readonly isUnfamiliar?: boolean
  readonly endedAt?: string
  readonly reason?: string
}

export const sessionChanges: TrackedObject<SessionPayload> = {
  object: 'session',
  audit: auditChange('session', ({ next: { userId, reason } }) => ({ after: { userId, ...(reason && { reason }) } })),
  eventTypes: { CREATE: 'session.started', DELETE: 'session.ended' },
  events: {
    types: {
      'session.started': {
        operation: 'CREATE',
        description:
          'A user signed in; the record contains ip, userAgent, createdAt and isUnfamiliar: true if the user had sessions in the last 30 days, but none with this ip and userAgent, and the device is not known by a device token.',
        sample: {
          ...record,
          ip: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          createdAt: '2026-11-02T08:15:00.000Z',
          isUnfamiliar: false,
        },
      },
      'session.ended': {
        operation: 'DELETE',
        description:
          'A session ended; the record contains endedAt and reason (LOGGED_OUT, LOGGED_OUT_EVERYWHERE, PASSWORD_CHANGED, REFRESH_TOKEN_REUSED, USER_DEACTIVATED, USER_REMOVED, USER_RENAMED).',
        sample: { ...record, endedAt: '2026-11-02T10:40:00.000Z', reason: 'LOGGED_OUT' },
      },
    },
    sample: record,
    payload: {
      properties: {
        id: 'id',
        organizationId: 'id',
        userId: 'id',
        ip: 'text',
        userAgent: 'text',
        createdAt: 'timestamp',
        endedAt: 'timestamp',
        reason: 'text',
        isUnfamiliar: 'boolean',
      },
      of: (record) => record,
    },
  },
}
