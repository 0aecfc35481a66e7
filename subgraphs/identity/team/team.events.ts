import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Team } from './team.ts'

const record = {
  id: '019a0c5e-7f00-7d48-96b3-e1f5a2087c34',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  name: 'Customer Support',
  memberIds: ['019a0c5e-7f00-7c1d-8f21-64d0a95be713'],
}

/** As events tell of it, and the audit log of a team that is new or gone. */
export const toldTeam = ({ id, organizationId, name, userIds: memberIds }: Team) => ({
  id,
  organizationId,
  name,
  memberIds,
})

export const teamEvents: RecordEvents<Team, ReturnType<typeof toldTeam>> = {
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
    of: toldTeam,
  },
}
