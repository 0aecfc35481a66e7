import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { listIndexes, privateIndexes, recordColumns } from '../../kernel/record/record-table.ts'

export const mailboxTables: Migration = {
  name: '20261123-outreach-mailbox',
  sql: `
    create table outreach.mailbox (${recordColumns},
      name text not null,
      email text not null,
      is_enabled boolean not null,
      is_shared boolean not null,
      daily_limit int not null,
      per_minute_limit int not null,
      smtp_host text not null,
      smtp_port int not null,
      smtp_security text not null,
      smtp_user text,
      smtp_password text,
      imap_host text,
      imap_port int not null,
      imap_security text not null,
      imap_user text,
      imap_password text,
      sealed_smtp_password text,
      sealed_imap_password text
    );
    ${listIndexes('outreach.mailbox', 'mailbox', ['name', 'email', 'is_enabled', 'is_shared'])}
    create unique index mailbox_email on outreach.mailbox (organization_id, email) where deleted_at is null;

    -- What the platform knows about a mailbox: how far it was read, and what it has sent.
    create table outreach.mailbox_state (
      organization_id uuid not null,
      id uuid not null,
      uid_validity numeric,
      -- Mails up to this UID are stored.
      last_uid bigint not null default 0,
      -- The mail that was read last, and how often, so that one that ends a process is given up.
      tried_uid bigint,
      tries int not null default 0,
      received_count bigint not null default 0,
      polled_at timestamptz(3),
      next_poll_at timestamptz(3),
      failures int not null default 0,
      last_error text,
      day_began_at timestamptz(3),
      day_count int not null default 0,
      minute_began_at timestamptz(3),
      minute_count int not null default 0,
      primary key (organization_id, id)
    );

    -- The polls to make.
    create table outreach.mailbox_poll (
      organization_id uuid not null,
      id uuid not null,
      mailbox_id uuid not null,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes({
      name: 'mailbox_poll',
      table: 'outreach.mailbox_poll',
      shares: { organization: 'organization_id', key: 'mailbox_id', perKeyMax: 1 },
    })}
    -- A mailbox waits for one poll at most.
    create unique index mailbox_poll_waiting on outreach.mailbox_poll (organization_id, mailbox_id)
      where state = 'QUEUED' and lease_token is null;
  `,
}

export const mailboxWatch: Migration = {
  name: '20261126-outreach-mailbox-watch',
  sql: `
    alter table outreach.mailbox_state
      -- The process that waits for mails of the mailbox; null if none does.
      add column watch_token uuid,
      -- By the clock of the database: the end of its lease, or the time before which nobody begins.
      add column watched_until timestamptz(3);
    create index mailbox_state_watched on outreach.mailbox_state (watch_token) where watch_token is not null;
  `,
}

export const mailboxPrivateIndexes: Migration = {
  name: '20261130-outreach-mailbox-private-indexes',
  sql: privateIndexes('outreach.mailbox', 'mailbox'),
}

export const mailboxSendFailure: Migration = {
  name: '20261201-outreach-mailbox-send-failure',
  sql: `
    -- When an attempt to send got no answer of the mail server; null after the next answer.
    alter table outreach.mailbox_state add column unanswered_at timestamptz(3)`,
}
