import type { EventSource } from '../../kernel/record/event-types.ts'

const record = {
  id: '019a0c5e-7f00-7d48-96b3-e1f5a2087c34',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  name: 'Customer Support',
  memberIds: ['019a0c5e-7f00-7c1d-8f21-64d0a95be713'],
}

export const teamEvents: EventSource = {
  object: 'team',
  events: {
    types: {
      'team.created': { operation: 'CREATE', description: 'A team was formed.' },
      'team.updated': {
        operation: 'UPDATE',
        description: 'A team was renamed or has other members; previous holds it before the change.',
        before: { memberIds: [] },
      },
      'team.deleted': { operation: 'DELETE', description: 'A team was dissolved.' },
    },
    sample: record,
    payload: {
      properties: { id: 'id', organizationId: 'id', name: 'text', memberIds: 'textList' },
      of: (told) => told,
    },
  },
}
