import { activeUsers } from '../../identity/public.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { canonicalFileIds, requireDraftFiles } from '../email/email-checks.ts'
import { emailThread } from '../email/email.record.ts'
import { replyDraftEvents } from './reply-draft.events.ts'
import { replyDraftStates } from './reply-draft.states.ts'
import { ReplyDraft } from './reply-draft.ts'

/** A subject of several lines could add headers to the mail. */
const isOneLine = ({ subject }: ReplyDraft) =>
  isStorable(subject) && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject)
    ? []
    : [{ path: 'subject', code: 'NOT_ONE_LINE', message: 'subject must be one line without control characters.' }]

export const replyDraft: RecordDefinition<ReplyDraft> = defineRecord(ReplyDraft, {
  object: 'reply_draft',
  table: 'outreach.reply_draft',
  visibleBy: [],
  visibleThrough: { by: 'threadId', to: () => emailThread },
  searchable: ['subject'],
  hasSearchText: true,
  references: { ownerId: activeUsers },
  totals: { by: ['status'] },
  events: replyDraftEvents,
  states: replyDraftStates,
  calculated: canonicalFileIds,
  invariants: isOneLine,
  checks: requireDraftFiles,
})
