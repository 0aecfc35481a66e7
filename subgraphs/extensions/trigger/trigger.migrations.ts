import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { listIndexes, recordColumns } from '../../kernel/record/record-table.ts'

/** What `triggerQueue` says of its table. */
export const triggerRunTable = {
  name: 'trigger_run',
  table: 'extensions.trigger_run',
  shares: { organization: 'organization_id', key: 'first_trigger_id', perKeyMax: 8, perOrganizationMax: 4 },
} as const

export const triggerTables: Migration = {
  name: '20261129-extensions-after-save-trigger',
  sql: `
    create table extensions.after_save_trigger (${recordColumns},
      object_type text not null,
      name text not null,
      description text,
      is_active boolean not null,
      operations text[] not null default '{}',
      conditions jsonb not null default '[]',
      logic text not null,
      function text not null,
      timeout_ms integer not null,
      position integer not null,
      -- The types of the events that such changes have.
      event_types text[] not null default '{}'
    );
    ${listIndexes('extensions.after_save_trigger', 'after_save_trigger', ['object_type', 'name'])}
    create unique index after_save_trigger_name on extensions.after_save_trigger (organization_id, object_type, name)
      where deleted_at is null;

    create function extensions.subscribe_trigger() returns trigger language plpgsql as $$
    begin
      perform extensions.subscribe_automation(new.organization_id, 'TRIGGER', new.id,
        case when new.is_active and new.deleted_at is null then new.event_types else '{}' end);
      return null;
    end $$;
    create trigger after_save_trigger_subscribes after insert or update of event_types, is_active, deleted_at
      on extensions.after_save_trigger for each row execute function extensions.subscribe_trigger();

    -- What one change starts: all its triggers, with their retries.
    create table ${triggerRunTable.table} (
      organization_id uuid not null,
      id uuid not null,
      -- The change, which may have several events.
      change_key text not null,
      -- The first of them, which has the input.
      event_id uuid not null,
      event_position bigint not null,
      depth integer not null,
      first_trigger_id uuid not null,
      trigger_ids uuid[] not null,
      -- How each trigger ended, and in which attempt, by its id.
      outcomes jsonb not null default '{}',
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(triggerRunTable)}
    create unique index trigger_run_change on ${triggerRunTable.table} (organization_id, change_key);
  `,
}
