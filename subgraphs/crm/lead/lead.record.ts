import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { relationFromType } from '../../kernel/record/record-registry.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import { lockRelatedTo } from '../related-record/lock-related.ts'
import { leadEvents } from './lead.events.ts'
import { calculatedOfLead, decideLead, leadProblems, leadStates, requireNotConverted } from './lead.rules.ts'
import { Lead } from './lead.ts'

export const lead: RecordDefinition<Lead> = defineRecord(Lead, {
  object: 'lead',
  isExtensible: true,
  isCustomizable: true,
  table: 'crm.lead',
  visibleBy: ['ownerId'],
  searchable: ['name', 'email', 'company', 'phone', 'mobilePhone', 'title'],
  hasSearchText: true,
  references: { ownerId: activeUsers },
  relations: {
    convertedAccount: {
      to: () => account,
      by: 'convertedAccountId',
      description: 'Conditions on the account of the conversion, as far as the caller sees it. Needs READ_ACCOUNTS.',
    },
    convertedContact: {
      to: () => contact,
      by: 'convertedContactId',
      description: 'Conditions on the contact of the conversion, as far as the caller sees it. Needs READ_CONTACTS.',
    },
    convertedOpportunity: {
      to: () => opportunity,
      by: 'convertedOpportunityId',
      description:
        'Conditions on the opportunity of the conversion, as far as the caller sees it. Needs READ_OPPORTUNITIES.',
    },
    tasks: relationFromType(
      'task',
      'leadId',
      'Conditions on the tasks of the lead that the caller sees. Needs READ_TASKS.',
    ),
    activities: relationFromType(
      'activity',
      'leadId',
      'Conditions on the activities of the lead that the caller sees. Needs READ_ACTIVITIES.',
    ),
  },
  totals: {
    by: ['status', 'leadSource', 'rating'],
    measures: { leadScore: { sum: 'leadScore' }, withLeadScore: { count: 'leadScore' } },
  },
  merge: { keepsTrue: ['emailOptOut', 'doNotCall'], lock: lockRelatedTo('leadId') },
  events: leadEvents,
  states: leadStates,
  decide: decideLead,
  calculated: calculatedOfLead,
  invariants: leadProblems,
  checks: requireNotConverted,
  decidesAlone: true,
})
