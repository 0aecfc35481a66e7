import type { Migration } from '../../../kernel/database/migrate.ts'

export const fileUploadTables: Migration = {
  name: '20261129-crm-file-upload',
  sql: `
    -- A file that arrives in parts; its bytes are reserved in kernel.file.
    create table crm.file_upload (
      organization_id uuid not null,
      file_id uuid not null,
      reservation_id uuid not null,
      size integer not null,
      part_size integer not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, file_id)
    );

    -- A part that has arrived. It is a file of kernel.file.
    create table crm.file_part (
      organization_id uuid not null,
      file_id uuid not null,
      part integer not null,
      content_id uuid not null,
      sha256 text not null,
      primary key (organization_id, file_id, part)
    );
  `,
}
