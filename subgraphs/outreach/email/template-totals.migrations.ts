import type { Migration } from '../../kernel/database/migrate.ts'
import { maintainedTotals } from '../../kernel/record/record-table.ts'

export const templateTotals: Migration = {
  name: '20261126-outreach-template-totals',
  sql: `
    -- The mails of each template, also those of deleted threads.
    ${maintainedTotals('outreach.email_message', {
      by: ['template_id'],
      measures: {
        sent: '(sent_at is not null)::int',
        delivered: '(delivered_at is not null)::int',
        opened: '(first_opened_at is not null)::int',
        clicked: `(clicks <> '[]')::int`,
        replied: `(status = 'REPLIED')::int`,
        bounced: `coalesce(bounce_type = 'HARD', false)::int`,
      },
      counted: 'template_id is not null',
    })}
    create index email_message_totals_template on outreach.email_message_totals (organization_id, template_id)
      where kind in ('CHANGE', 'GROUP');
  `,
}
