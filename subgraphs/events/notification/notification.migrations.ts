import type { Migration } from '../../kernel/database/migrate.ts'
import { beginWithNextEvent } from '../../kernel/outbox/event-consumer.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

export const notificationTables: Migration = {
  name: '20261123-events-notification',
  sql: `
    create table events.notification (
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      event_key text not null,
      category text not null,
      title text not null,
      body text not null,
      -- The name of the record, which another person may have chosen; null without one. Mails quote it.
      subject text,
      priority text not null,
      entity_type text,
      entity_id uuid,
      action_url text,
      actor_id uuid,
      group_key text not null,
      count int not null default 1,
      -- The event that it follows from.
      event_id uuid not null,
      in_app text not null,
      email text not null,
      -- When the mail is due; null if none is waiting.
      email_due_at timestamptz(3),
      push text not null,
      read_at timestamptz(3),
      is_read boolean not null generated always as (read_at is not null) stored,
      created_at timestamptz(3) not null,
      primary key (organization_id, id),
      unique (organization_id, user_id, event_id, event_key),
      foreign key (organization_id, user_id) references identity.app_user (organization_id, id)
    );
    create index notification_of_user on events.notification (organization_id, user_id, created_at, id);
    create index notification_unread on events.notification (organization_id, user_id, created_at, id)
      where in_app = 'SENT' and read_at is null;
    create index notification_mail_due on events.notification (email_due_at) where email_due_at is not null;
    create index notification_created on events.notification (created_at);

    -- What a user has set; without a row, and for what is absent, the defaults apply.
    create table events.notification_preference (
      organization_id uuid not null,
      user_id uuid not null,
      preferences jsonb not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, user_id),
      foreign key (organization_id, user_id) references identity.app_user (organization_id, id)
    );
    ${beginWithNextEvent('notification')}
  `,
}

export const pushTables: Migration = {
  name: '20261123-events-push',
  sql: `
    -- A browser or device of a user that takes push messages.
    create table events.push_subscription (
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      endpoint text not null,
      -- The keys of the receiver, sealed.
      keys text not null,
      created_at timestamptz(3) not null,
      last_sent_at timestamptz(3),
      primary key (organization_id, id),
      foreign key (organization_id, user_id) references identity.app_user (organization_id, id)
    );
    create unique index push_subscription_endpoint on events.push_subscription (organization_id, user_id, md5(endpoint));

    -- One push message to one device.
    create table events.push_message (
      organization_id uuid not null,
      id uuid not null,
      subscription_id uuid not null,
      notification_id uuid not null,
      ${sharedQueueColumns},
      primary key (organization_id, id),
      foreign key (organization_id, subscription_id) references events.push_subscription (organization_id, id) on delete cascade,
      foreign key (organization_id, notification_id) references events.notification (organization_id, id) on delete cascade
    );
    create index push_message_subscription on events.push_message (organization_id, subscription_id);
    create index push_message_notification on events.push_message (organization_id, notification_id);
    ${queueIndexes({
      name: 'push',
      table: 'events.push_message',
      shares: { organization: 'organization_id', key: 'subscription_id', perKeyMax: 1 },
    })}
  `,
}

export const notificationSequence: Migration = {
  name: '20261123-events-notification-sequence',
  sql: `
    -- The order of the commits in an organization: one transaction at a time creates notifications.
    alter table events.notification add column sequence bigint generated always as identity;
    create index notification_sequence on events.notification (organization_id, user_id, sequence);
  `,
}
