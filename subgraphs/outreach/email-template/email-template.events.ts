import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { EmailTemplate } from './email-template.ts'

export const emailTemplateEvents: RecordEvents<EmailTemplate> = {
  types: {
    'email_template.created': { operation: 'CREATE', description: 'An email template was created or copied.' },
    'email_template.updated': {
      operation: 'UPDATE',
      description:
        'An email template was changed; previous holds the record before the change and changedFields lists the changed fields.',
      before: { status: 'DRAFT' },
    },
    'email_template.deleted': {
      operation: 'DELETE',
      description: 'An email template was deleted; it can be restored.',
    },
    'email_template.restored': { operation: 'RESTORE', description: 'A deleted email template was restored.' },
  },
}
