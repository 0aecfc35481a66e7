import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { listIndexes, recordColumns } from '../../kernel/record/record-table.ts'

export const customObjectTable: Migration = {
  name: '20261130-extensions-custom-object',
  sql: `
    create table extensions.custom_object (${recordColumns},
      name text not null,
      label text not null,
      plural_label text,
      description text,
      name_field text
    );
    ${listIndexes('extensions.custom_object', 'custom_object', ['name'])}
    -- The records of a deleted object are kept, so its name stays taken.
    create unique index custom_object_name on extensions.custom_object (organization_id, name);
  `,
}

/** What `objectRemovalQueue` says of its table. */
export const objectRemoval = {
  name: 'object_removal',
  table: 'extensions.object_removal',
  shares: { organization: 'organization_id', key: 'object_id', perKeyMax: 1, perOrganizationMax: 1 },
} as const

/** One row for each deleted object whose records are being removed. */
export const objectRemovalTable: Migration = {
  name: '20261214-extensions-object-removal',
  sql: `
    alter table extensions.custom_object add column removal_started_at timestamptz(3);
    create table ${objectRemoval.table} (
      organization_id uuid not null,
      id uuid not null,
      object_id uuid not null,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(objectRemoval)}
  `,
}

/** Events of objects have the name fields that objects had before: `previous` is stored with what changed only. */
export const formerNameFields: Migration = {
  name: '20261130-extensions-custom-object-former-name-fields',
  sql: `
    alter table extensions.custom_object add column former_name_fields text[] not null default '{}';
    update extensions.custom_object o set former_name_fields = former.names
    from (
      select l.organization_id, l.record_id, array_agg(distinct e.data -> 'previous' ->> 'nameField') as names
      from kernel.event_log l
      join kernel.event e on e.organization_id = l.organization_id and e.id = l.event_id and e.occurred_at = l.occurred_at
      where l.object = 'custom_object' and e.data -> 'previous' ->> 'nameField' is not null
      group by l.organization_id, l.record_id
    ) former
    where former.organization_id = o.organization_id and former.record_id = o.id;
  `,
}
