import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { ReplyDraft } from './reply-draft.ts'

export const replyDraftEvents: RecordEvents<ReplyDraft> = {
  types: {
    'reply_draft.created': { operation: 'CREATE', description: 'A reply to a mail of a customer was suggested.' },
    'reply_draft.updated': {
      operation: 'UPDATE',
      description: 'A suggested reply was changed, approved, rejected or sent, or has expired.',
      before: { status: 'PENDING' },
      sample: { status: 'APPROVED' },
    },
  },
}
