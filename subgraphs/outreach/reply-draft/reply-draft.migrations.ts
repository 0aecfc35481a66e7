import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, maintainedTotals, recordColumns, searchIndex } from '../../kernel/record/record-table.ts'

export const replyDraftTable: Migration = {
  name: '20261123-outreach-reply-draft',
  sql: `
    create table outreach.reply_draft (${recordColumns},
      status text not null,
      thread_id uuid not null,
      reply_to_message_id uuid not null,
      subject text not null,
      body_html text not null,
      confidence int not null,
      reason text not null,
      expires_at timestamptz(3) not null,
      sent_message_id uuid
    );
    ${listIndexes('outreach.reply_draft', 'reply_draft', ['status', 'thread_id', 'expires_at'])}
    -- A mail is answered by one draft, however often it is processed.
    create unique index reply_draft_message on outreach.reply_draft (organization_id, reply_to_message_id);
    create index reply_draft_open on outreach.reply_draft (expires_at, id) where deleted_at is null and status in ('PENDING', 'APPROVED');
  `,
}

/** Without it, a search and a filter by a rare custom field read all drafts. */
export const replyDraftSearch: Migration = {
  name: '20261129-outreach-reply-draft-search',
  sql: searchIndex('outreach.reply_draft', 'reply_draft', ['subject']),
}

export const replyDraftTotals: Migration = {
  name: '20261130-outreach-reply-draft-totals',
  sql: maintainedTotals('outreach.reply_draft', { by: ['status'] }),
}

/** Organizations take turns, so the due drafts of each are found on their own. */
export const replyDraftTurns: Migration = {
  name: '20261211-outreach-reply-draft-turns',
  sql: `
    drop index outreach.reply_draft_open;
    create index reply_draft_open on outreach.reply_draft (organization_id, expires_at, id)
      where deleted_at is null and status in ('PENDING', 'APPROVED');
  `,
}

export const replyDraftFiles: Migration = {
  name: '20261213-outreach-reply-draft-files',
  sql: `alter table outreach.reply_draft add column file_ids text[] not null default '{}'`,
}
