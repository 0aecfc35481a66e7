import type { Migration } from '../../kernel/database/migrate.ts'
import { tenantRole } from '../../kernel/database/tenant-role.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

/** The queue of documents whose text is to be read or forgotten. */
export const describedDocumentRuns = {
  name: 'document_run',
  table: 'assistant.document_run',
  shares: { organization: 'organization_id', key: 'document_id', perKeyMax: 1, perOrganizationMax: 1 },
} as const

export const documentTables: Migration = {
  name: '20261128-assistant-document',
  sql: `
    create table assistant.document (
      organization_id uuid not null,
      id uuid not null,
      owner_id uuid not null,
      name text not null,
      format text not null,
      status text not null,
      failure_code text,
      failure_message text,
      -- Both or neither: the record through which it is visible.
      record_type text,
      record_id uuid,
      is_shared boolean not null,
      file_id uuid,
      bytes integer,
      sha256 text,
      page_count integer,
      passage_count integer,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      -- Nobody sees it any more; its passages and its row are deleted by the queue.
      deleted_at timestamptz(3),
      primary key (organization_id, id)
    );
    create index document_record on assistant.document (organization_id, record_id) where record_id is not null;
    create index document_uploading on assistant.document (created_at) where status = 'UPLOADING';

    create table assistant.document_passage (
      organization_id uuid not null,
      document_id uuid not null,
      position integer not null,
      text text not null,
      heading text,
      page integer,
      line integer,
      words integer not null,
      search tsvector not null,
      primary key (organization_id, document_id, position)
    );
    create index document_passage_search on assistant.document_passage using gin (organization_id, search);
    -- What searches read: row-level security is evaluated before operators that are not leakproof, and then no index answers them. The view
    -- has the condition itself, and only SQL of the platform reads it.
    create view assistant.tenant_document_passage as
      select * from assistant.document_passage where organization_id = kernel.current_organization();
    grant select on assistant.tenant_document_passage to ${tenantRole};

    -- In how many passages of the organization a word is, and how many passages and words there are, for the ranking.
    create table assistant.document_term (
      organization_id uuid not null,
      lexeme text not null,
      passages integer not null,
      primary key (organization_id, lexeme)
    );
    create table assistant.document_corpus (
      organization_id uuid not null,
      passages integer not null,
      words bigint not null,
      primary key (organization_id)
    );

    create table assistant.document_run (
      organization_id uuid not null,
      id uuid not null,
      document_id uuid not null,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(describedDocumentRuns)}
  `,
}

export const documentCategory: Migration = {
  name: '20261129-assistant-document-category',
  sql: `alter table assistant.document add column category text not null default 'OTHER';`,
}
