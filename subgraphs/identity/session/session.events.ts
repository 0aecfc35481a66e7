import type { PlainEvents } from '../../kernel/outbox/plain-events.ts'

const record = {
  id: '019a0c5e-7f00-7e6a-84d9-3b7c5f1e02a8',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  userId: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
}

export const sessionEvents: PlainEvents = {
  object: 'session',
  properties: {
    id: 'id',
    organizationId: 'id',
    userId: 'id',
    ip: 'text',
    userAgent: 'text',
    createdAt: 'timestamp',
    endedAt: 'timestamp',
    reason: 'text',
  },
  types: {
    'session.started': {
      description: 'A user signed in; the record has ip, userAgent and createdAt.',
      record: { ...record, ip: '203.0.113.7', userAgent: 'Mozilla/5.0', createdAt: '2026-11-02T08:15:00.000Z' },
    },
    'session.ended': {
      description:
        'A session ended; the record has endedAt and reason (LOGGED_OUT, LOGGED_OUT_EVERYWHERE, PASSWORD_CHANGED, REFRESH_TOKEN_REUSED, USER_DEACTIVATED, USER_REMOVED, USER_RENAMED).',
      record: { ...record, endedAt: '2026-11-02T10:40:00.000Z', reason: 'LOGGED_OUT' },
    },
  },
}
