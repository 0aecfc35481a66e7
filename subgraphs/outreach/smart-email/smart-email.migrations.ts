import type { Migration } from '../../kernel/database/migrate.ts'
import { beginWithNextEvent } from '../../kernel/outbox/event-consumer.ts'
import {
  columnIndexes,
  listIndexes,
  maintainedTotals,
  privateIndexes,
  recordColumns,
  searchIndex,
} from '../../kernel/record/record-table.ts'
import { deliveryConsumer } from './delivery-consumer-name.ts'

export const smartEmailTables: Migration = {
  name: '20261123-outreach-smart-email',
  sql: `
    create table outreach.smart_email_draft (${recordColumns},
      status text not null,
      subject text not null,
      body_html text not null,
      body_text text not null,
      to_emails text[] not null default '{}',
      cc_emails text[] not null default '{}',
      bcc_emails text[] not null default '{}',
      contact_id uuid,
      opportunity_id uuid,
      thread_id uuid,
      in_reply_to_message_id uuid,
      tone text not null,
      purpose text,
      intent text,
      style text,
      is_shared boolean not null default false,
      scheduled_at timestamptz(3),
      timezone text,
      sent_at timestamptz(3),
      message_id uuid,
      failure_reason text,
      generation jsonb,
      request jsonb,
      rewrites int not null,
      next_attempt_at timestamptz(3)
    );
    ${listIndexes('outreach.smart_email_draft', 'smart_email_draft', [
      'status',
      'contact_id',
      'opportunity_id',
      'thread_id',
      'scheduled_at',
    ])}
    ${searchIndex('outreach.smart_email_draft', 'smart_email_draft', ['subject'])}
    -- Finds organizations with due drafts, and their drafts in order.
    create index smart_email_draft_due on outreach.smart_email_draft (organization_id, next_attempt_at, id)
      where status = 'SCHEDULED' and deleted_at is null;
    create unique index smart_email_draft_message on outreach.smart_email_draft (organization_id, message_id)
      where message_id is not null;
    -- The drafts of one owner by status, for figures.
    create index smart_email_draft_owner_status on outreach.smart_email_draft (organization_id, owner_id, status, sent_at);

    create table outreach.smart_email_variant (
      organization_id uuid not null,
      draft_id uuid not null,
      variants jsonb not null,
      primary key (organization_id, draft_id),
      foreign key (organization_id, draft_id) references outreach.smart_email_draft on delete cascade
    );

    -- The best time to send is learned from the newest mails.
    create index email_message_sent on outreach.email_message (organization_id, sent_at desc)
      where direction = 'OUTBOUND' and sent_at is not null and deleted_at is null;
    ${beginWithNextEvent(deliveryConsumer)}
  `,
}

export const smartEmailFilterIndexes: Migration = {
  name: '20261126-outreach-smart-email-filters',
  sql: `
    ${columnIndexes('outreach.smart_email_draft', 'smart_email_draft', ['tone'])}
    -- With smart_email_draft_by_owner_id: what a user sees, the shared drafts and the own ones, without the private ones of all others.
    create index smart_email_draft_shared on outreach.smart_email_draft (organization_id, created_at, id)
      where deleted_at is null and is_shared;
  `,
}

/** Numbers of drafts are read, not counted: of each owner, because a user sees the own drafts and the shared ones. */
export const smartEmailTotals: Migration = {
  name: '20261128-outreach-smart-email-totals',
  sql: `
    ${maintainedTotals('outreach.smart_email_draft', {
      by: ['owner_id', 'is_shared', 'status'],
      measures: { generated: '(generation is not null)::int' },
    })}
    -- With smart_email_draft_owner_status: the mails that a user sees, the last one first.
    create index smart_email_draft_shared_sent on outreach.smart_email_draft (organization_id, sent_at)
      where deleted_at is null and is_shared and status = 'SENT';
  `,
}

export const smartEmailPrivateIndexes: Migration = {
  name: '20261130-outreach-smart-email-private-indexes',
  sql: privateIndexes('outreach.smart_email_draft', 'smart_email_draft', ['updated_at', 'tone']),
}

export const smartEmailFiles: Migration = {
  name: '20261213-outreach-smart-email-files',
  sql: `alter table outreach.smart_email_draft add column file_ids text[] not null default '{}'`,
}
