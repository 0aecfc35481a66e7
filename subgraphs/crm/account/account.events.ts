import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Account } from './account.ts'

export const accountEvents: RecordEvents<Account> = {
  types: {
    'account.created': {
      operation: 'CREATE',
      description: 'An account was created, in the UI, through the API, by an import or by an automation.',
    },
    'account.updated': {
      operation: 'UPDATE',
      description:
        'An account was edited; previous holds the record before the change and changedFields lists the changed fields.',
      before: { accountStatus: 'PENDING', healthScore: 64 },
    },
    'account.deleted': { operation: 'DELETE', description: 'An account was deleted; it can be restored.' },
    'account.restored': { operation: 'RESTORE', description: 'A deleted account was restored.' },
  },
  sample: {
    name: 'Halvorsen Marine AS',
    type: 'CUSTOMER',
    industry: 'Maritime',
    website: 'https://halvorsen-marine.example',
    domain: 'halvorsen-marine.example',
    phone: '+46 8 465 004 12',
    description: 'Operates nine coastal ferries and two repair yards.',
    numberOfEmployees: 420,
    annualRevenue: 61_500_000,
    billingStreet: 'Skeppsbron 14',
    billingCity: 'Gothenburg',
    billingPostalCode: '411 21',
    billingCountry: 'Sweden',
    accountStatus: 'ACTIVE',
    rating: 'HOT',
    healthScore: 82,
    lifetimeValue: 318_400,
    churnRisk: 'LOW',
    painPoints: ['Paper checklists on board'],
    techStack: ['SAP Business One', 'Azure'],
    isStrategic: true,
    tier: 'Gold',
    region: 'Nordics',
    tags: ['reference'],
    customFields: { renewalMonth: 'March' },
  },
}
