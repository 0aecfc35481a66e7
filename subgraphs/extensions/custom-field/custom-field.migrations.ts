import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns } from '../../kernel/record/record-table.ts'

export const customFieldTable: Migration = {
  name: '20261130-extensions-field-definition',
  sql: `
    create table extensions.field_definition (${recordColumns},
      entity text not null,
      name text not null,
      label text not null,
      field_type text not null,
      description text,
      is_required boolean not null,
      is_active boolean not null,
      is_searchable boolean not null,
      default_value text,
      picklist_values jsonb not null default '[]',
      controlling_field text,
      dependent_values jsonb,
      pattern text,
      precision integer,
      max_length integer,
      min_value double precision,
      max_value double precision,
      sort_order integer not null
    );
    ${listIndexes('extensions.field_definition', 'field_definition', ['entity', 'name', 'field_type'])}
    -- Records keep the values of a deleted field, so its name stays taken.
    create unique index field_definition_name on extensions.field_definition (organization_id, entity, lower(name));
  `,
}

export const customFieldFormula: Migration = {
  name: '20261201-extensions-field-formula',
  sql: 'alter table extensions.field_definition add column formula_config jsonb;',
}

/** `has_totals`: what reads use of a rollup is there for all records, in `kernel.rollup` or `kernel.rollup_value`. */
const customFieldRollup: Migration = {
  name: '20261212-extensions-field-rollup',
  sql: `
    alter table extensions.field_definition
      add column rollup_config jsonb,
      add column has_totals boolean not null default false;
    create index field_definition_rollup on extensions.field_definition (organization_id, (rollup_config ->> 'childObject'))
      where rollup_config is not null;
  `,
}

const customFieldLookup: Migration = {
  name: '20261213-extensions-field-lookup',
  sql: `
    alter table extensions.field_definition
      add column lookup_entity text,
      add column lookup_object text,
      add column lookup_delete_behavior text;
  `,
}

const customFieldMaster: Migration = {
  name: '20261214-extensions-field-reparentable',
  sql: 'alter table extensions.field_definition add column is_reparentable boolean not null default false;',
}

/** `has_index`: every live record has its row in `kernel.record_value`. */
const customFieldIndex: Migration = {
  name: '20261210-extensions-field-index',
  sql: `
    alter table extensions.field_definition
      add column is_indexed boolean not null default false,
      add column is_unique boolean not null default false,
      add column has_index boolean not null default false;
  `,
}

/**
 * `has_values`: every record has the value of a formula under its key. Records from before a formula have none yet, so the values of all formulas are
 * written; the id of each change sorts before those of later ones.
 */
const customFieldValues: Migration = {
  name: '20261214-extensions-field-values',
  sql: `
    alter table extensions.field_definition add column has_values boolean not null default false;
    with building as (
      update extensions.field_definition set state = 'BUILDING', progress = '{"change":"BUILD_FORMULA","processed":0,"total":null,"failures":0,"message":null}'
      where field_type = 'FORMULA' and is_active and deleted_at is null and state = 'READY' returning organization_id, id)
    insert into extensions.field_change (organization_id, id, field_id, kind, parameters)
    select organization_id, ('00000000' || substr(gen_random_uuid()::text, 9))::uuid, id, 'BUILD_FORMULA', '{}' from building;
  `,
}

/** What the platform derives from the values of a field. */
export const customFieldDerived: readonly Migration[] = [
  customFieldIndex,
  customFieldRollup,
  customFieldLookup,
  customFieldValues,
  customFieldMaster,
]
