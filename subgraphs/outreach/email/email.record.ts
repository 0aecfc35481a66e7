import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { Email } from './email.ts'
import { EmailThread } from './email-thread.ts'
import { emailEvents, emailThreadEvents } from './email.events.ts'

export const emailThread: RecordDefinition<EmailThread> = defineRecord(EmailThread, {
  object: 'email_thread',
  table: 'outreach.email_thread',
  visibleBy: ['ownerId'],
  searchable: ['subject'],
  names: { accountId: 'account', contactId: 'contact', leadId: 'lead', opportunityId: 'opportunity', caseId: 'case' },
  hasSearchText: true,
  references: { ownerId: activeUsers },
  totals: { by: ['status', 'lastDirection', 'unread'] },
  events: emailThreadEvents,
})

export const emailMessage: RecordDefinition<Email> = defineRecord(Email, {
  object: 'email',
  table: 'outreach.email_message',
  visibleBy: [],
  visibleThrough: { by: 'threadId', to: () => emailThread },
  searchable: [],
  // The figures of templates (`template-figures.ts`). Lists of messages do not use them, because they are visible through their threads.
  totals: {
    by: ['templateId'],
    measures: {
      sent: { count: 'sentAt' },
      delivered: { count: 'deliveredAt' },
      opened: { count: 'firstOpenedAt' },
      clicked: { count: 'clicks' },
      replied: { where: { status: 'REPLIED' } },
      bounced: { where: { bounceType: 'HARD' } },
    },
  },
  events: emailEvents,
})
