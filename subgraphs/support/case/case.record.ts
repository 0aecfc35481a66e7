import { visibleAccounts, visibleContacts, visibleOpportunities } from '../../crm/public.ts'
import { activeUsers, activeWriters } from '../../identity/public.ts'
import type { Condition } from '../../kernel/record/addend.ts'
import { defineRecord, relationFrom, type RecordDefinition } from '../../kernel/record/definition.ts'
import { recordType, relationFromType } from '../../kernel/record/record-registry.ts'
import { caseCommentEvents } from '../case-comment/case-comment.events.ts'
import { CaseComment } from '../case-comment/case-comment.ts'
import { decideCase } from './case.decision.ts'
import { caseEvents } from './case.events.ts'
import { caseStates } from './case.status.ts'
import { Case } from './case.ts'

/** Conditions of figures (`case.stats.ts`) that maintained totals count. */
export const wasReopened: Condition<Case> = { reopenCount: { gt: 0 } }
export const wasEverResolved: Condition<Case> = { or: [wasReopened, { resolvedAt: { isNull: false } }] }
export const isBreachAnnounced: Condition<Case> = { slaBreachedAt: { isNull: false } }
export const wasResolvedLate: Condition<Case> = { resolvedAt: { gt: { column: 'slaDueAt' } } }

export const supportCase: RecordDefinition<Case> = defineRecord(Case, {
  object: 'case',
  isExtensible: true,
  table: 'support."case"',
  visibleBy: ['ownerId', 'assignedToId'],
  searchable: ['subject', 'description'],
  hasSearchText: true,
  references: {
    ownerId: activeUsers,
    assignedToId: activeWriters,
    accountId: visibleAccounts,
    contactId: visibleContacts,
    opportunityId: visibleOpportunities,
  },
  relations: {
    comments: relationFrom(() => caseComment, 'caseId', 'Conditions on the comments of the case.'),
    account: {
      to: recordType('account'),
      by: 'accountId',
      description:
        'Conditions on the account of the case. A case without an account that the caller sees does not match. Needs READ_ACCOUNTS.',
    },
    contact: {
      to: recordType('contact'),
      by: 'contactId',
      description:
        'Conditions on the contact of the case. A case without a contact that the caller sees does not match. Needs READ_CONTACTS.',
    },
    opportunity: {
      to: recordType('opportunity'),
      by: 'opportunityId',
      description:
        'Conditions on the opportunity of the case. A case without an opportunity that the caller sees does not match. Needs READ_OPPORTUNITIES.',
    },
    tasks: relationFromType(
      'task',
      'caseId',
      'Conditions on the tasks of the case that the caller sees. Needs READ_TASKS.',
    ),
    activities: relationFromType(
      'activity',
      'caseId',
      'Conditions on the activities of the case that the caller sees. Needs READ_ACTIVITIES.',
    ),
  },
  numbered: 'caseNumber',
  totals: {
    by: ['status', 'priority', 'type', 'origin'],
    measures: {
      unassigned: { where: { assignedToId: { isNull: true } } },
      reopened: { where: wasReopened },
      everResolved: { where: wasEverResolved },
      resolvedLate: { where: wasResolvedLate },
      breachAnnounced: { where: isBreachAnnounced },
      firstResponseSeconds: { sum: { from: 'createdAt', to: 'firstResponseAt' } },
      withFirstResponse: { count: { from: 'createdAt', to: 'firstResponseAt' } },
      resolutionSeconds: { sum: { from: 'createdAt', to: 'resolvedAt' } },
      withResolution: { count: { from: 'createdAt', to: 'resolvedAt' } },
    },
  },
  events: caseEvents,
  states: caseStates,
  decide: decideCase,
  decidesAlone: true,
})

/** A caller who sees the case sees its comments. */
export const caseComment: RecordDefinition<CaseComment> = defineRecord(CaseComment, {
  object: 'case_comment',
  table: 'support.case_comment',
  visibleBy: [],
  visibleThrough: { by: 'caseId', to: () => supportCase },
  searchable: ['body'],
  eventTypes: { CREATE: 'case.comment_added' },
  events: caseCommentEvents,
})
