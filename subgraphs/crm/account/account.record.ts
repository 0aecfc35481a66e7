import { activeUsers } from '../../identity/public.ts'
import { defineRecord, relationFrom, type RecordDefinition } from '../../kernel/record/definition.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { relationFromType } from '../../kernel/record/record-registry.ts'
import { withoutCycle } from '../../kernel/record/serialized-rules.ts'
import { lockRelatedTo } from '../related-record/lock-related.ts'
import { accountEvents } from './account.events.ts'
import { Account } from './account.ts'

export const account: RecordDefinition<Account> = defineRecord(Account, {
  object: 'account',
  isExtensible: true,
  isCustomizable: true,
  table: 'crm.account',
  visibleBy: ['ownerId'],
  searchable: ['name', 'domain', 'website', 'industry', 'billingCity'],
  hasSearchText: true,
  references: { ownerId: activeUsers, parentAccountId: (ctx, ids) => visibleIds(ctx, account, ids) },
  relations: {
    parent: {
      to: () => account,
      by: 'parentAccountId',
      description: 'Conditions on the parent account. An account without a parent that the caller sees does not match.',
    },
    children: relationFrom(
      () => account,
      'parentAccountId',
      'Conditions on the accounts whose parent the account is, as far as the caller sees them.',
    ),
    contacts: relationFromType(
      'contact',
      'accountId',
      'Conditions on the contacts of the account that the caller sees. Needs READ_CONTACTS.',
    ),
    opportunities: relationFromType(
      'opportunity',
      'accountId',
      'Conditions on the opportunities of the account that the caller sees. Needs READ_OPPORTUNITIES.',
    ),
    cases: relationFromType(
      'case',
      'accountId',
      'Conditions on the cases of the account that the caller sees. Needs READ_CASES.',
    ),
    tasks: relationFromType(
      'task',
      'accountId',
      'Conditions on the tasks of the account that the caller sees. Needs READ_TASKS.',
    ),
    activities: relationFromType(
      'activity',
      'accountId',
      'Conditions on the activities of the account that the caller sees. Needs READ_ACTIVITIES.',
    ),
    quotes: relationFromType(
      'quote',
      'accountId',
      'Conditions on the quotes of the account that the caller sees. Needs READ_QUOTES.',
    ),
    orders: relationFromType(
      'order',
      'accountId',
      'Conditions on the orders of the account that the caller sees. Needs READ_ORDERS.',
    ),
  },
  totals: {
    by: ['type', 'accountStatus', 'rating', 'churnRisk', 'isStrategic'],
    separately: ['industry'],
    measures: {
      annualRevenue: { sum: 'annualRevenue' },
      healthScore: { sum: 'healthScore' },
      withHealthScore: { count: 'healthScore' },
    },
  },
  merge: { hierarchies: ['parentAccountId'], lock: lockRelatedTo('accountId') },
  events: accountEvents,
  serializedRules: [withoutCycle(() => account, 'parentAccountId')],
})
