import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns, searchIndex } from '../../kernel/record/record-table.ts'

export const fileTable: Migration = {
  name: '20261129-crm-file',
  sql: `
    create table crm.file (${recordColumns},
      name text not null,
      status text not null,
      related_to_type text,
      related_to_id uuid,
      content_type text,
      size integer,
      sha256 text,
      -- The file of kernel.file; null before it has arrived, and after the bytes of a deleted file are deleted.
      content_id uuid
    );
    ${searchIndex('crm.file', 'file', ['name'])}
    ${listIndexes('crm.file', 'file', ['name', 'status', 'related_to_id'])}
    create index file_uploading on crm.file (organization_id, created_at, id) where status = 'UPLOADING' and deleted_at is null;
    create index file_with_content on crm.file (deleted_at, id) where deleted_at is not null and content_id is not null;
  `,
}

export const filesOfMails: Migration = {
  name: '20261129-crm-file-of-mail',
  // Answers how many bytes the files of mails have, without reading the rows.
  sql: `create index file_of_mail on crm.file (organization_id, size) where related_to_type = 'EMAIL' and content_id is not null;`,
}
