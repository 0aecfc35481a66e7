import type { Migration } from '../kernel/database/migrate.ts'
import { uniqueExternalIds } from '../kernel/record/record-table.ts'

export const externalIds: Migration = {
  name: '20261214-outreach-external-ids',
  sql: uniqueExternalIds([
    'outreach.sequence',
    'outreach.sequence_step',
    'outreach.sequence_enrollment',
    'outreach.mailbox',
    'outreach.reply_draft',
    'outreach.email_template',
    'outreach.email_thread',
    'outreach.email_message',
    'outreach.smart_email_draft',
  ]),
}
