import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Email } from './email.ts'
import type { EmailThread } from './email-thread.ts'

export const emailThreadEvents: RecordEvents<EmailThread> = {
  types: {
    'email_thread.created': { operation: 'CREATE', description: 'A thread began with its first mail.' },
    'email_thread.updated': {
      operation: 'UPDATE',
      description: 'A mail was added to a thread, or opened, clicked or seen.',
      before: { unread: true },
    },
  },
}

export const emailEvents: RecordEvents<Email> = {
  types: {
    'email.created': { operation: 'CREATE', description: 'A mail was queued or received.' },
    'email.updated': {
      operation: 'UPDATE',
      description: 'A program opened a mail, or a mail failed.',
      before: { machineOpenCount: 0 },
    },
    'email.sent': {
      operation: 'UPDATE',
      description: 'The mail server of the sender accepted a mail.',
      before: { status: 'QUEUED' },
      sample: { status: 'SENT' },
    },
    'email.delivered': {
      operation: 'UPDATE',
      description: 'The mail server of the recipient accepted a mail.',
      before: { status: 'SENT' },
      sample: { status: 'DELIVERED' },
    },
    'email.opened': {
      operation: 'UPDATE',
      description: 'A person opened a mail, the first or another time.',
      before: { openCount: 0 },
    },
    'email.clicked': {
      operation: 'UPDATE',
      description: 'A person followed a link of a mail.',
      before: { status: 'OPENED' },
      sample: { status: 'CLICKED' },
    },
    'email.replied': {
      operation: 'UPDATE',
      description: 'A person answered a mail.',
      before: { status: 'OPENED' },
      sample: { status: 'REPLIED' },
    },
    'email.bounced': {
      operation: 'UPDATE',
      description: 'A mail was not delivered; bounceType says whether a later attempt can succeed.',
      before: { status: 'SENT' },
      sample: { status: 'BOUNCED', bounceType: 'HARD', bounceReason: '550 5.1.1 No such user' },
    },
    'email.complained': {
      operation: 'UPDATE',
      description: 'The recipient reported a mail as spam.',
      before: { status: 'OPENED' },
      sample: { status: 'COMPLAINED' },
    },
  },
}
