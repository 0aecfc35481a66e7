import type { Migration } from '../database/migrate.ts'

/** The data keys that encrypt the secrets of each organization, stored encrypted with the master key. */
export const dataKeyTable: Migration = {
  name: '20261121-kernel-data-key',
  sql: `
    create table kernel.data_key (
      organization_id uuid not null,
      version integer not null,
      wrapped text not null,
      master_id text not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, version)
    );
  `,
}
