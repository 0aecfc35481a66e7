import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

/** Undo jobs of an organization that have not ended. One of them works at a time. */
export const unfinishedMax = 10

/** Undo jobs of an organization that have not been deleted. */
export const keptMax = 1_000

/** Rows that the undo jobs of an organization store: of the records that they undo while they work, and of results. */
export const storedRowsMax = 4_000_000

/** Results of what stays that one job stores. */
export const notUndoneStoredMax = 1_000_000

/** A job is kept for so long after it ended. */
export const keptMs = 7 * 86_400_000

/** What `undoQueue` says of its table. */
export const undoRun = {
  name: 'undo_run',
  table: 'records.undo_run',
  shares: { organization: 'organization_id', key: 'organization_id', perKeyMax: 1, perOrganizationMax: 1 },
} as const

export const undoJobTables: Migration = {
  name: '20261222-records-undo-job',
  sql: `
    create table records.undo_job (
      organization_id uuid not null,
      id uuid not null,
      -- The operation, or the user, the time and the types, whose changes are undone.
      selection jsonb not null,
      on_conflict text not null,
      dry_run boolean not null,
      -- The types of its records, whose scopes are needed to read the job.
      objects text[] not null,
      -- The scopes of the credential that created it.
      scopes text[] not null,
      created_by_id uuid not null,
      created_at timestamptz(3) not null,
      started_at timestamptz(3),
      ended_at timestamptz(3),
      expires_at timestamptz(3),
      job_status text not null default 'QUEUED',
      -- Its records are found, compared, and undone: first those that the operation did not create.
      phase text not null default 'LIST',
      -- The position in the log of the last event that was listed, or of the first event of the last record that was processed; null at the begin of a phase.
      checkpoint bigint,
      -- The position of the last event that is listed.
      list_through bigint,
      -- Records that the user saw when they were compared.
      records_seen integer not null default 0,
      records_processed integer not null default 0,
      records_undone integer not null default 0,
      records_not_undone integer not null default 0,
      -- Conflicts that were found before anything was undone.
      conflicts integer not null default 0,
      -- Rows of records.undo_result.
      results integer not null default 0,
      error_code text,
      error_message text,
      primary key (organization_id, id)
    );
    create index undo_job_unfinished on records.undo_job (organization_id) where job_status in ('QUEUED', 'RUNNING');
    create index undo_job_expired on records.undo_job (expires_at);

    -- A record that a job undoes.
    create table records.undo_item (
      organization_id uuid not null,
      job_id uuid not null,
      record_id uuid not null,
      object text not null,
      -- The position of its first event, and those of all of them.
      number bigint not null,
      positions bigint[] not null,
      -- Null if there is nothing to undo, because the user does not see it.
      is_created boolean,
      primary key (organization_id, job_id, record_id, object)
    );
    create unique index undo_item_number on records.undo_item (organization_id, job_id, number);

    -- What was undone of a record, or was not.
    create table records.undo_result (
      organization_id uuid not null,
      job_id uuid not null,
      is_undone boolean not null,
      number integer not null,
      result jsonb not null,
      primary key (organization_id, job_id, is_undone, number)
    );

    -- A job that waits or is in progress; its id is that of the job.
    create table records.undo_run (
      organization_id uuid not null,
      id uuid not null,
      -- Attempts in a row that could not go on, such as when a hook did not answer.
      pauses integer not null default 0,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(undoRun)}
  `,
}

export const undoJobBounds: Migration = {
  name: '20261224-records-undo-job-bounds',
  sql: `
    alter table records.undo_job
      -- Changes that it undoes, so at most as many records, as they were counted when it was created.
      add column changes integer not null default 0,
      -- Whether it may have rows of records.undo_item, which only a job needs that has not ended.
      add column has_items boolean not null default true;
    create index undo_job_items on records.undo_job (ended_at) where has_items and ended_at is not null;
    create trigger notify_job after update on records.undo_job
      for each row when (old is distinct from new) execute function records.notify_bulk_job();
  `,
}

export const undoJobCredential: Migration = {
  name: '20270103-records-undo-job-credential',
  sql: `
    -- Kind and id of the credential that created the job, whose scopes are read again while it runs; null for jobs of earlier versions.
    alter table records.undo_job add column created_with jsonb;
  `,
}
