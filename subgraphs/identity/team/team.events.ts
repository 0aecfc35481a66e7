import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Team } from './team.ts'

const record = {
  id: '019a0c5e-7f00-7d48-96b3-e1f5a2087c34',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  name: 'Customer Support',
  memberIds: ['019a0c5e-7f00-7c1d-8f21-64d0a95be713'],
}

/** A team in events, and in audit entries of created and deleted teams. */
export const teamPayload = ({ id, organizationId, name, userIds: memberIds }: Team) => ({
  id,
  organizationId,
  name,
  memberIds,
})

export const teamEvents: RecordEvents<Team, ReturnType<typeof teamPayload>> = {
  types: {
    'team.created': { operation: 'CREATE', description: 'A team was created.' },
    'team.updated': {
      operation: 'UPDATE',
      description: 'A team was renamed, or its members changed; previous holds the team before the change.',
      before: { memberIds: [] },
    },
    'team.deleted': { operation: 'DELETE', description: 'A team was deleted.' },
  },
  sample: record,
  payload: {
    properties: { id: 'id', organizationId: 'id', name: 'text', memberIds: 'textList' },
    of: teamPayload,
  },
}
