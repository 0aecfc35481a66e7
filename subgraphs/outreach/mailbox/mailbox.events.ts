import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Mailbox } from './mailbox.ts'

export const mailboxEvents: RecordEvents<Mailbox> = {
  types: {
    'mailbox.created': { operation: 'CREATE', description: 'A mailbox was connected.' },
    'mailbox.updated': { operation: 'UPDATE', description: 'A mailbox was changed.', before: { isEnabled: false } },
    'mailbox.deleted': { operation: 'DELETE', description: 'A mailbox was deleted.' },
    'mailbox.restored': { operation: 'RESTORE', description: 'A deleted mailbox was restored.' },
  },
}
