import { mayWrite } from '../../kernel/record/field-security.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { Move, StateMachine } from '../../kernel/record/transitions.ts'
import type { ReplyDraft, ReplyDraftStatus } from './reply-draft.ts'

const shape = recordType('reply_draft')

const update: Move<ReplyDraft> = {
  operation: 'replyDraftUpdate',
  isPossible: ({ caller }) => mayWrite(caller, shape(), 'status'),
}
const ways = { SENT: ['replyDraftSend'], REJECTED: ['replyDraftDelete'], EXPIRED: [] }

export const replyDraftStates: StateMachine<ReplyDraft, ReplyDraftStatus> = {
  name: 'reply draft',
  scope: 'WRITE_EMAILS',
  transitions: {
    PENDING: { APPROVED: [update], ...ways },
    APPROVED: { PENDING: [update], ...ways },
    SENT: {},
    REJECTED: {},
    EXPIRED: {},
  },
}
