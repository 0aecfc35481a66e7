import type { Migration } from '../database/migrate.ts'
import { tenantRole } from '../database/tenant-role.ts'
import { queueIndexes } from '../queue/queue-table.ts'

export const mailTable: Migration = {
  name: '20261121-kernel-mail',
  sql: `
    -- A mail that a transaction has queued. It belongs to a person, not to an organization.
    create table kernel.mail (
      id uuid primary key,
      recipient text not null,
      -- Subject and bodies, encrypted because they contain one-time tokens. Null after the mail has been sent.
      content text,
      -- QUEUED, SENT, FAILED, EXPIRED, or WITHHELD: not to be sent, because no user has the address.
      state text not null,
      created_at timestamptz(3) not null,
      -- The mail is not sent after this time.
      expires_at timestamptz(3) not null,
      next_attempt_at timestamptz(3) not null,
      attempts int not null default 0,
      -- Fencing token of the running attempt: only this attempt may record an outcome.
      claim uuid,
      finished_at timestamptz(3),
      last_error text
    );
    create index mail_due on kernel.mail (next_attempt_at) where state = 'QUEUED';
    create index mail_created on kernel.mail (created_at);

    create function kernel.tell_mail_queued() returns trigger language plpgsql as $$
    begin
      perform pg_notify('mail_queued', '');
      return null;
    end $$;
    create trigger mail_tells after insert on kernel.mail for each statement execute function kernel.tell_mail_queued();
  `,
}

export const mailCountTable: Migration = {
  name: '20261122-kernel-mail-count',
  sql: `
    -- Number of mails of a kind in the window of a limit. The key contains the kind and the values that the limit counts by.
    create table kernel.mail_count (
      key text not null,
      window_ms int not null,
      began_at timestamptz(3) not null,
      mails int not null,
      primary key (key, window_ms)
    );
  `,
}

export const mailTrace: Migration = {
  name: '20261122-kernel-mail-trace',
  sql: `
    -- The W3C trace of the request that queued the mail; null unless traces are sent.
    alter table kernel.mail add column traceparent text;
  `,
}

export const mailQueueTable: Migration = {
  name: '20261122-kernel-mail-queue',
  sql: `
    drop trigger mail_tells on kernel.mail;
    drop function kernel.tell_mail_queued();
    drop index kernel.mail_due;
    drop index kernel.mail_created;
    alter table kernel.mail rename column claim to lease_token;
    alter table kernel.mail alter column state set default 'QUEUED', 
      alter column next_attempt_at set default date_trunc('milliseconds', clock_timestamp());
    ${queueIndexes({ name: 'mail', table: 'kernel.mail' })}
  `,
}

export const mailOfOrganizations: Migration = {
  name: '20261128-kernel-mail-of-organizations',
  sql: `
    -- The organization whose mail it is; null: a mail of the platform to a person.
    alter table kernel.mail add column organization_id uuid;
  `,
}

/** Fair shares of organizations. Mails without one, such as those of sign-ups, are one share. */
export const mailShares = { organization: 'share_id', key: 'share_id', perKeyMax: 8, perOrganizationMax: 3 } as const

export const mailSharedQueue: Migration = {
  name: '20261201-kernel-mail-shares',
  sql: `
    drop trigger mail_notifies on kernel.mail;
    drop index kernel.mail_fresh, kernel.mail_retry, kernel.mail_created;
    alter table kernel.mail
      add column share_id uuid not null generated always as (coalesce(organization_id, '00000000-0000-0000-0000-000000000000')) stored,
      add column is_due boolean not null default true;
    update kernel.mail set is_due = false where state <> 'QUEUED' or lease_token is not null or next_attempt_at > now();
    -- A withheld mail is never due. A process of an earlier version, which does not know the column, leases and ends mails until it stops.
    create function kernel.mail_is_due() returns trigger language plpgsql as $$
    begin
      if new.state <> 'QUEUED' then
        new.is_due := false;
      elsif tg_op = 'UPDATE' then
        if new.lease_token is not null and new.lease_token is distinct from old.lease_token then
          new.is_due := false;
        end if;
      end if;
      return new;
    end $$;
    create trigger mail_is_due before insert or update on kernel.mail for each row execute function kernel.mail_is_due();
    ${queueIndexes({ name: 'mail', table: 'kernel.mail', shares: mailShares })}
  `,
}

export const mailByTenants: Migration = {
  name: '20261123-kernel-mail-by-tenants',
  sql: `
    -- Requests of an organization may queue mails, but read none.
    grant insert on kernel.mail to ${tenantRole};
    grant select, insert, update on kernel.mail_count to ${tenantRole};
  `,
}
