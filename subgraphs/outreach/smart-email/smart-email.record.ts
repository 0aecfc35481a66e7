import { visibleContacts, visibleOpportunities } from '../../crm/public.ts'
import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition, type Reference } from '../../kernel/record/definition.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { canonicalFileIds, requireDraftFiles } from '../email/email-checks.ts'
import { emailThread } from '../email/email.record.ts'
import { SmartEmailDraft } from './smart-email-draft.ts'
import { smartEmailEvents } from './smart-email.events.ts'
import {
  addressesAreValid,
  canonicalAddresses,
  refuseForeignDraft,
  smartEmailStates,
  subjectIsOneLine,
} from './smart-email.rules.ts'

/** Returns which of these threads are live and visible to the caller. */
export const visibleThreads: Reference = (ctx, ids) => visibleIds(ctx, emailThread, ids)

export const smartEmailDraft: RecordDefinition<SmartEmailDraft> = defineRecord(SmartEmailDraft, {
  object: 'smart_email_draft',
  table: 'outreach.smart_email_draft',
  visibleBy: ['ownerId'],
  privateUnless: 'isShared',
  searchable: ['subject'],
  hasSearchText: true,
  references: {
    ownerId: activeUsers,
    contactId: visibleContacts,
    opportunityId: visibleOpportunities,
    threadId: visibleThreads,
  },
  relations: {
    contact: {
      to: recordType('contact'),
      by: 'contactId',
      description: 'Conditions on the contact. Needs READ_CONTACTS.',
    },
    opportunity: {
      to: recordType('opportunity'),
      by: 'opportunityId',
      description: 'Conditions on the opportunity. Needs READ_OPPORTUNITIES.',
    },
    thread: { to: () => emailThread, by: 'threadId', description: 'Conditions on the thread.' },
  },
  totals: {
    by: ['ownerId', 'isShared', 'status'],
    measures: { generated: { where: { generation: { isNull: false } } } },
  },
  events: smartEmailEvents,
  states: smartEmailStates,
  requireRight: refuseForeignDraft,
  calculated: (next) => ({ ...canonicalAddresses(next), ...canonicalFileIds(next) }),
  invariants: (next) => [...subjectIsOneLine(next), ...addressesAreValid(next)],
  checks: requireDraftFiles,
})
