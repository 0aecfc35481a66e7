import { activeUsers } from '../../identity/public.ts'
import { defineRecord, relationFrom, type RecordDefinition } from '../../kernel/record/definition.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { relationFromType } from '../../kernel/record/record-registry.ts'
import { withoutCycle } from '../../kernel/record/serialized-rules.ts'
import { account } from '../account/account.record.ts'
import { lockRelatedTo } from '../related-record/lock-related.ts'
import { contactEvents } from './contact.events.ts'
import { contactProblems, calculatedOfContact } from './contact.rules.ts'
import { onePrimaryContact, uniqueEmail } from './contact.serialized-rules.ts'
import { Contact } from './contact.ts'

export const contact: RecordDefinition<Contact> = defineRecord(Contact, {
  object: 'contact',
  isExtensible: true,
  isCustomizable: true,
  table: 'crm.contact',
  visibleBy: ['ownerId'],
  searchable: ['name', 'email', 'phone', 'mobilePhone', 'title', 'department'],
  hasSearchText: true,
  references: {
    ownerId: activeUsers,
    accountId: (ctx, ids) => visibleIds(ctx, account, ids),
    reportsToId: (ctx, ids) => visibleIds(ctx, contact, ids),
  },
  relations: {
    account: {
      to: () => account,
      by: 'accountId',
      description:
        'Conditions on the account of the contact. A contact without an account that the caller sees does not match. Needs READ_ACCOUNTS.',
    },
    reportsTo: {
      to: () => contact,
      by: 'reportsToId',
      description: 'Conditions on the contact to whom the person reports, as far as the caller sees it.',
    },
    directReports: relationFrom(
      () => contact,
      'reportsToId',
      'Conditions on the contacts that report to the person, as far as the caller sees them.',
    ),
    opportunities: relationFromType(
      'opportunity',
      'contactIds',
      'Conditions on the opportunities in which the contact has a role and that the caller sees. Needs READ_OPPORTUNITIES.',
    ),
    cases: relationFromType(
      'case',
      'contactId',
      'Conditions on the cases of the contact that the caller sees. Needs READ_CASES.',
    ),
    tasks: relationFromType(
      'task',
      'contactId',
      'Conditions on the tasks of the contact that the caller sees. Needs READ_TASKS.',
    ),
    activities: relationFromType(
      'activity',
      'contactId',
      'Conditions on the activities of the contact that the caller sees. Needs READ_ACTIVITIES.',
    ),
    quotes: relationFromType(
      'quote',
      'contactId',
      'Conditions on the quotes of the contact that the caller sees. Needs READ_QUOTES.',
    ),
    orders: relationFromType(
      'order',
      'contactId',
      'Conditions on the orders of the contact that the caller sees. Needs READ_ORDERS.',
    ),
  },
  totals: {
    by: ['status', 'emailStatus', 'lifecycleStage', 'leadSource'],
    measures: {
      optedOut: { where: { emailOptOut: true } },
      notToCall: { where: { doNotCall: true } },
      withoutAccount: { where: { accountId: { isNull: true } } },
    },
  },
  merge: {
    keepsTrue: ['emailOptOut', 'doNotCall'],
    hierarchies: ['reportsToId'],
    lock: lockRelatedTo('contactId'),
  },
  events: contactEvents,
  calculated: calculatedOfContact,
  invariants: contactProblems,
  serializedRules: [
    withoutCycle(() => contact, 'reportsToId'),
    onePrimaryContact(() => contact),
    uniqueEmail(() => contact),
  ],
})
