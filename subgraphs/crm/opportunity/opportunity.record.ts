import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { relationFromType } from '../../kernel/record/record-registry.ts'
import { hasCurrency } from '../../kernel/values/currency.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'
import { pipeline } from '../pipeline/pipeline.record.ts'
import { opportunityEvents } from './opportunity.events.ts'
import { decideOpportunity } from './opportunity.decision.ts'
import { amountFitsCurrency, calculatedValues, contactRoleProblems } from './opportunity.rules.ts'
import { Opportunity } from './opportunity.ts'

export const opportunity: RecordDefinition<Opportunity> = defineRecord(Opportunity, {
  object: 'opportunity',
  isExtensible: true,
  isCustomizable: true,
  table: 'crm.opportunity',
  visibleBy: ['ownerId'],
  searchable: ['name', 'nextStep', 'description'],
  hasSearchText: true,
  references: {
    ownerId: activeUsers,
    accountId: (ctx, ids) => visibleIds(ctx, account, ids),
    primaryContactId: (ctx, ids) => visibleIds(ctx, contact, ids),
    'contactRoles.contactId': (ctx, ids) => visibleIds(ctx, contact, ids),
  },
  relations: {
    account: {
      to: () => account,
      by: 'accountId',
      description:
        'Conditions on the account of the opportunity. An opportunity whose account the caller does not see does not match. Needs READ_ACCOUNTS.',
    },
    pipeline: {
      to: () => pipeline,
      by: 'pipelineId',
      description: 'Conditions on the pipeline of the opportunity.',
    },
    primaryContact: {
      to: () => contact,
      by: 'primaryContactId',
      description:
        'Conditions on the primary contact of the opportunity. An opportunity without a primary contact that the caller sees does not match. Needs READ_CONTACTS.',
    },
    cases: relationFromType(
      'case',
      'opportunityId',
      'Conditions on the cases of the opportunity that the caller sees. Needs READ_CASES.',
    ),
    tasks: relationFromType(
      'task',
      'opportunityId',
      'Conditions on the tasks of the opportunity that the caller sees. Needs READ_TASKS.',
    ),
    activities: relationFromType(
      'activity',
      'opportunityId',
      'Conditions on the activities of the opportunity that the caller sees. Needs READ_ACTIVITIES.',
    ),
    quotes: relationFromType(
      'quote',
      'opportunityId',
      'Conditions on the quotes of the opportunity that the caller sees. Needs READ_QUOTES.',
    ),
    orders: relationFromType(
      'order',
      'opportunityId',
      'Conditions on the orders of the opportunity that the caller sees. Needs READ_ORDERS.',
    ),
  },
  totals: {
    by: ['pipelineId', 'stage', 'currency', 'forecastCategory', 'type', 'isClosed', 'isWon'],
    measures: {
      amount: { sum: 'amount' },
      expectedRevenue: { sum: 'expectedRevenue' },
      baseAmount: { sum: 'baseAmount' },
    },
  },
  amounts: {
    columns: ['amount', 'expectedRevenue'],
    currency: 'currency',
    ratedOn: 'closeDate',
    ratedOnlyIf: 'isClosed',
  },
  events: opportunityEvents,
  invariants: (next, previous) => [
    ...hasCurrency(next, previous),
    ...amountFitsCurrency(next),
    ...contactRoleProblems(next),
  ],
  decide: decideOpportunity,
  decidesAlone: true,
  calculated: calculatedValues,
})
