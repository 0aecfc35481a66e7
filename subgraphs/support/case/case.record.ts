import { visibleAccounts } from '../../crm/public.ts'
import { activeUsers, activeWriters } from '../../identity/public.ts'
import { defineRecord, relationFrom, type RecordDefinition } from '../../kernel/record/definition.ts'
import { caseCommentEvents } from '../case-comment/case-comment.events.ts'
import { CaseComment } from '../case-comment/case-comment.ts'
import { caseEvents } from './case.events.ts'
import { Case } from './case.ts'

export const supportCase: RecordDefinition<Case> = defineRecord(Case, {
  object: 'case',
  table: 'support."case"',
  visibleBy: ['ownerId', 'assignedToId'],
  searchable: ['subject', 'description'],
  references: { ownerId: activeUsers, assignedToId: activeWriters, accountId: visibleAccounts },
  relations: { comments: relationFrom(() => caseComment, 'caseId') },
  numbered: 'caseNumber',
  events: caseEvents,
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
