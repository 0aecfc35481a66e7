import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { listIndexes, maintainedTotals, recordColumns, searchIndex } from '../../kernel/record/record-table.ts'

export const emailTables: Migration = {
  name: '20261123-outreach-email',
  sql: `
    create table outreach.email_thread (${recordColumns},
      subject text not null,
      status text not null,
      participants text[] not null default '{}',
      account_id uuid,
      contact_id uuid,
      lead_id uuid,
      opportunity_id uuid,
      case_id uuid,
      message_count int not null default 0,
      last_message_at timestamptz(3),
      last_direction text,
      first_response_seconds int,
      open_count int not null default 0,
      click_count int not null default 0,
      unread boolean not null default false
    );
    ${listIndexes('outreach.email_thread', 'email_thread', [
      'status',
      'account_id',
      'contact_id',
      'lead_id',
      'opportunity_id',
      'case_id',
      'last_message_at',
      'last_direction',
      'unread',
    ])}
    ${searchIndex('outreach.email_thread', 'email_thread', ['subject'])}
    create index email_thread_awaiting on outreach.email_thread (organization_id, last_message_at, id)
      where deleted_at is null and status = 'AWAITING_RESPONSE';
    -- Finds the thread of a reply that names no mail.
    create index email_thread_participants on outreach.email_thread using gin (organization_id, participants)
      where deleted_at is null;

    create table outreach.email_message (${recordColumns},
      thread_id uuid not null,
      direction text not null,
      kind text not null,
      from_email text not null,
      to_emails text[] not null default '{}',
      cc_emails text[] not null default '{}',
      subject text not null,
      body_html text,
      body_text text not null,
      internet_message_id text,
      in_reply_to text,
      reference_ids text[] not null default '{}',
      status text not null,
      sent_at timestamptz(3),
      delivered_at timestamptz(3),
      first_opened_at timestamptz(3),
      last_opened_at timestamptz(3),
      open_count int not null default 0,
      machine_open_count int not null default 0,
      clicks jsonb not null default '[]',
      bounce_type text,
      bounce_reason text,
      failure_reason text,
      attachments jsonb not null default '[]',
      template_id uuid,
      mailbox_id uuid,
      sent_html text,
      links text[] not null default '{}'
    );
    ${listIndexes('outreach.email_message', 'email_message', ['thread_id'])}
    -- A received mail is stored once, however often it is delivered; a reply finds the mail that it answers.
    create unique index email_message_internet_id on outreach.email_message (organization_id, internet_message_id);
    create index email_message_template on outreach.email_message (organization_id, template_id) where template_id is not null;

    create table outreach.suppressed_address (
      organization_id uuid not null,
      email text not null,
      reason text not null,
      message_id uuid,
      created_at timestamptz(3) not null,
      created_by_id uuid,
      primary key (organization_id, email)
    );
    create index suppressed_address_created on outreach.suppressed_address (organization_id, created_at, email);

    -- The mails to send, by the id of the message.
    create table outreach.outgoing_email (
      organization_id uuid not null,
      id uuid not null,
      -- The mailbox, or the organization for the mail server of the platform.
      sender_id uuid not null,
      traceparent text,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes({
      name: 'outgoing_email',
      table: 'outreach.outgoing_email',
      shares: { organization: 'organization_id', key: 'sender_id', perKeyMax: 2 },
    })}

    -- Opens and clicks that the gateway has seen, until they are counted.
    create table outreach.tracking_hit (
      organization_id uuid not null,
      id uuid not null,
      message_id uuid not null,
      -- Index of the link; null for an open.
      link int,
      is_machine boolean not null,
      seen_at timestamptz(3) not null,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes({
      name: 'tracking_hit',
      table: 'outreach.tracking_hit',
      shares: { organization: 'organization_id', key: 'message_id', perKeyMax: 1 },
    })}
  `,
}

export const hiddenCopies: Migration = {
  name: '20261126-outreach-email-bcc',
  sql: `alter table outreach.email_message add column bcc_emails text[] not null default '{}'`,
}

/** Numbers of threads without a filter and by these columns are read, not counted. */
export const emailThreadTotals: Migration = {
  name: '20261126-outreach-email-thread-totals',
  sql: maintainedTotals('outreach.email_thread', { by: ['status', 'last_direction', 'unread'] }),
}

export const mailsWithoutWindow: Migration = {
  name: '20261127-outreach-outgoing-email-window',
  sql: `
    -- True if the mail of a sequence is sent outside of its send window, too.
    alter table outreach.outgoing_email add column ignores_window boolean not null default false`,
}

export const hitsWithoutQueue: Migration = {
  name: '20261129-outreach-tracking-hits',
  sql: `
    -- Hits are counted in the order of their ids and deleted by the transaction that counts them.
    drop trigger tracking_hit_notifies on outreach.tracking_hit;
    drop index outreach.tracking_hit_fresh, outreach.tracking_hit_retry, outreach.tracking_hit_not_due, outreach.tracking_hit_leased,
      outreach.tracking_hit_created;
    delete from outreach.tracking_hit where state <> 'QUEUED'`,
}

export const attachedFiles: Migration = {
  name: '20261129-outreach-attached-files',
  sql: `
    update outreach.email_message set attachments = (
      select jsonb_agg(attachment || '{"fileId": null}' order by position)
      from jsonb_array_elements(attachments) with ordinality as each (attachment, position)
    ) where attachments <> '[]';
  `,
}
