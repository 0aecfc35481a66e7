import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { CaseComment } from './case-comment.ts'

export const caseCommentEvents: RecordEvents<CaseComment> = {
  types: {
    'case.comment_added': {
      operation: 'CREATE',
      description: 'A comment was added to a case; record is the comment, and its caseId is the id of the case.',
    },
  },
  sample: {
    id: '019a0c69-2c40-7e05-a3f8-91b27c60d4ea',
    caseId: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
    body: 'The printer profile of dock 3 lost its barcode zone. I restored it; please print one label and tell us.',
    isInternal: false,
    authorId: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    authorType: 'USER',
  },
}
