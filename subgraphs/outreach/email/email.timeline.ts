import type { TimelineSource } from '../../kernel/record/timeline-source.ts'

/** The mails of threads, in the timelines of the records that the thread concerns; a caller sees those of the threads that it sees. */
export const emailEntries: TimelineSource = {
  kind: 'EMAIL',
  object: 'email',
  type: 'Email',
  at: [],
  columns: { title: 'subject', type: 'direction', status: 'status' },
  actor: ['createdById'],
  items: {
    table: 'outreach.email_entry',
    from: ['sentAt'],
    id: 'message_id',
    at: 'happened_at',
    key: ['message_id'],
    links: {
      accountId: 'account_id',
      contactId: 'contact_id',
      leadId: 'lead_id',
      opportunityId: 'opportunity_id',
      caseId: 'case_id',
    },
    linkedBy: 'email_thread',
  },
}
