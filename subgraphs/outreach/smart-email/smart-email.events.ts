import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { SmartEmailDraft } from './smart-email-draft.ts'

const time = '2026-11-03T08:00:00.000Z'

export const smartEmailEvents: RecordEvents<SmartEmailDraft> = {
  types: {
    'smart_email_draft.created': { operation: 'CREATE', description: 'A draft of a mail was composed or created.' },
    'smart_email_draft.updated': {
      operation: 'UPDATE',
      description: 'A draft of a mail was changed or written anew, or its mail was queued.',
      before: { subject: 'Dock slots' },
    },
    'smart_email_draft.deleted': { operation: 'DELETE', description: 'A draft of a mail was discarded.' },
    'smart_email_draft.restored': { operation: 'RESTORE', description: 'A discarded draft of a mail was restored.' },
    'smart_email_draft.scheduled': {
      operation: 'UPDATE',
      description: 'A draft of a mail was scheduled, or got another time.',
      before: { status: 'DRAFT', scheduledAt: null, timezone: null },
      sample: { status: 'SCHEDULED', scheduledAt: time, timezone: 'Europe/Oslo' },
    },
    'smart_email_draft.unscheduled': {
      operation: 'UPDATE',
      description: 'A scheduled draft of a mail was taken back.',
      before: { status: 'SCHEDULED', scheduledAt: time, timezone: 'Europe/Oslo' },
    },
    'smart_email_draft.sent': {
      operation: 'UPDATE',
      description: 'The mail of a draft was sent.',
      before: { status: 'SENDING', sentAt: null },
      sample: { status: 'SENT', sentAt: time, messageId: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b28' },
    },
    'smart_email_draft.failed': {
      operation: 'UPDATE',
      description: 'The mail of a draft was not sent.',
      before: { status: 'SENDING', failureReason: null },
      sample: { status: 'FAILED', failureReason: 'Not sent: UNSUBSCRIBED.' },
    },
  },
}
