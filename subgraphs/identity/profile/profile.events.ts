import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Profile } from './profile.ts'
import { restrictionsInWords } from './profile.rules.ts'

const record = {
  id: '019a0c5e-7f00-7e62-8b07-9d3c1f5a6e28',
  organizationId: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  name: 'Support agents',
  isDefault: false,
  restrictions: ['account.annualRevenue HIDDEN', 'account.rating READ'],
  createdAt: '2026-11-02T08:15:00.000Z',
  updatedAt: '2026-11-02T08:15:00.000Z',
}

export const profileEvents: RecordEvents<Profile, object> = {
  types: {
    'profile.created': { operation: 'CREATE', description: 'A profile was created.' },
    'profile.updated': {
      operation: 'UPDATE',
      description:
        'A profile was changed; the change takes effect with the next request of every credential of its users.',
      sample: { ...record, isDefault: true, updatedAt: '2026-11-02T10:40:00.000Z' },
      before: { isDefault: false, updatedAt: '2026-11-02T08:15:00.000Z' },
    },
    'profile.deleted': { operation: 'DELETE', description: 'A profile was deleted; no user had it.' },
  },
  sample: record,
  payload: {
    properties: {
      id: 'id',
      organizationId: 'id',
      name: 'text',
      isDefault: 'boolean',
      restrictions: 'textList',
      createdAt: 'timestamp',
      updatedAt: 'timestamp',
    },
    of: ({ fields, ...rest }) => ({ ...rest, restrictions: restrictionsInWords(fields) }),
  },
}
