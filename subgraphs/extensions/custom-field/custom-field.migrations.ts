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

/** What the platform derives from the values of a field, outside of the records. */
export const customFieldDerived: readonly Migration[] = [customFieldIndex, customFieldRollup, customFieldLookup]
