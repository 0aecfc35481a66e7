import type { Migration } from '../database/migrate.ts'

export const fileTable: Migration = {
  name: '20261128-kernel-file',
  sql: `
    -- A file in DATA_DIR/files. Its row is older than the file and is deleted after it, so every file on the disk has a row.
    create table kernel.file (
      organization_id uuid not null,
      id uuid not null,
      -- WRITING and WRITTEN have no owner; KEPT has one; RELEASED had one.
      state text not null,
      -- While it is written, the most that it may have.
      bytes bigint not null,
      sha256 text,
      created_at timestamptz(3) not null,
      released_at timestamptz(3),
      primary key (organization_id, id)
    );
    create index file_unowned on kernel.file (created_at) where state in ('WRITING', 'WRITTEN');
    create index file_released on kernel.file (released_at) where state = 'RELEASED';
  `,
}
