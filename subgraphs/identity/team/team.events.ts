import type { PlainEvents } from '../../kernel/outbox/plain-events.ts'

const record = {
  id: '019a0c5e-7f00-7d48-96b3-e1f5a2087c34',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  name: 'Customer Support',
  memberIds: ['019a0c5e-7f00-7c1d-8f21-64d0a95be713'],
}

export const teamEvents: PlainEvents = {
  object: 'team',
  properties: { id: 'id', organizationId: 'id', name: 'text', memberIds: 'textList' },
  types: {
    'team.created': { description: 'A team was formed.', record },
    'team.updated': {
      description: 'A team was renamed or has other members; previous holds it before the change.',
      record,
      before: { memberIds: [] },
    },
    'team.deleted': { description: 'A team was dissolved.', record },
  },
}
