import type { Migration } from '../../database/migrate.ts'
import { rollupDeltaTable, rollupTable, rollupValueTable } from './rollup-tables.ts'

/**
 * The totals of rollups: one row for each field and parent record, and the differences that writes of child records append, so that writers of the children
 * of one parent do not wait for each other. `n` counts the records that count, and `total` is the sum of their values, of which each is 1 for COUNT. MIN and MAX have one row
 * for each record that counts instead, so that the index of a parent gives the value; a row without a parent is of a record that has ceased to count while the rows
 * were built. The index of totals is partial, so that PostgreSQL never takes it for the totals of one parent, also without statistics of the table.
 */
export const rollupTables: Migration = {
  name: '20261212-kernel-rollup',
  sql: `
    create table ${rollupTable} (
      organization_id uuid not null,
      rollup_id uuid not null,
      parent_id uuid not null,
      n bigint not null,
      total numeric not null,
      primary key (organization_id, rollup_id, parent_id)
    );
    create index rollup_total on ${rollupTable} (organization_id, rollup_id, total) where total <> 0;
    create table ${rollupDeltaTable} (
      organization_id uuid not null,
      rollup_id uuid not null,
      parent_id uuid not null,
      n bigint not null,
      total numeric not null
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
    create index rollup_delta_parent on ${rollupDeltaTable} (organization_id, rollup_id, parent_id);
    create table ${rollupValueTable} (
      organization_id uuid not null,
      rollup_id uuid not null,
      child_id uuid not null,
      parent_id uuid,
      number_value numeric,
      time_value timestamptz,
      primary key (organization_id, rollup_id, child_id)
    );
    create index rollup_value_number on ${rollupValueTable} (organization_id, rollup_id, parent_id, number_value)
      where number_value is not null;
    create index rollup_value_time on ${rollupValueTable} (organization_id, rollup_id, parent_id, time_value)
      where time_value is not null;`,
}

/** Lists that are sorted by totals continue after a total and a record. */
export const rollupOrder: Migration = {
  name: '20261231-kernel-rollup-order',
  sql: `
    create index rollup_total_parent on ${rollupTable} (organization_id, rollup_id, total, parent_id) where total <> 0;
    drop index kernel.rollup_total;
    alter index kernel.rollup_total_parent rename to rollup_total;`,
}
