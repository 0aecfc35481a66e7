import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

/** Jobs of an organization that are in progress at the same time, and that may wait for their turn. */
export const [runningMax, waitingMax, openMax] = [5, 25, 100]

/** A job is kept for so long after it was created, and after it ended. */
export const keptMs = 7 * 86_400_000

/** What `bulkQueue` says of its table. Of the running attempts of a key, a quarter is left to retries. */
export const bulkRun = {
  name: 'bulk_run',
  table: 'records.bulk_run',
  shares: { organization: 'organization_id', key: 'organization_id', perKeyMax: runningMax + 1 },
} as const

export const bulkJobTables: Migration = {
  name: '20261216-records-bulk-job',
  sql: `
    create table records.bulk_job (
      organization_id uuid not null,
      id uuid not null,
      object text not null,
      operation text not null,
      match_by text not null,
      content_type text not null,
      job_state text not null default 'OPEN',
      options jsonb not null,
      -- The scopes of the credential that created it.
      scopes text[] not null,
      created_by_id uuid not null,
      created_at timestamptz(3) not null,
      started_at timestamptz(3),
      completed_at timestamptz(3),
      expires_at timestamptz(3) not null,
      -- Encoding, separator, columns and the place of the first row, found when the upload was complete.
      format jsonb,
      bytes_total bigint not null default 0,
      -- The place in the file of the first row that is not processed, and the number of the row before it.
      checkpoint jsonb not null default '{"byte": 0, "row": 0}',
      records_total integer,
      records_succeeded integer not null default 0,
      records_failed integer not null default 0,
      error_summary jsonb not null default '[]',
      error_code text,
      error_message text,
      primary key (organization_id, id)
    );
    create index bulk_job_state on records.bulk_job (organization_id, job_state) where job_state in ('OPEN', 'UPLOAD_COMPLETE', 'IN_PROGRESS');
    create index bulk_job_expired on records.bulk_job (expires_at);

    -- A part of the file of a job. Its bytes are a file of kernel.file.
    create table records.bulk_part (
      organization_id uuid not null,
      job_id uuid not null,
      part integer not null,
      content_id uuid not null,
      bytes integer not null,
      sha256 text not null,
      primary key (organization_id, job_id, part)
    );

    -- The results of rows that were processed in one transaction.
    create table records.bulk_chunk (
      organization_id uuid not null,
      job_id uuid not null,
      first_row integer not null,
      row_count integer not null,
      -- The place of its first row in the file.
      byte bigint not null,
      succeeded integer not null,
      failed integer not null,
      results jsonb not null,
      primary key (organization_id, job_id, first_row)
    );

    -- A job that waits or is in progress; its id is that of the job.
    create table records.bulk_run (
      organization_id uuid not null,
      id uuid not null,
      -- Attempts in a row that could not go on, such as when a hook did not answer.
      pauses integer not null default 0,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(bulkRun)}
  `,
}

/** The NOTIFY channel for changes of bulk jobs and undo jobs: `<organization>,<job>`. */
export const jobsChannel = 'bulk_jobs'

export const bulkJobChanged: Migration = {
  name: '20261218-records-bulk-job-changed',
  sql: `
    create function records.notify_bulk_job() returns trigger language plpgsql as $$
    begin
      perform pg_notify('${jobsChannel}', new.organization_id || ',' || new.id);
      return null;
    end $$;
    create trigger notify_bulk_job after update on records.bulk_job
      for each row when (old is distinct from new) execute function records.notify_bulk_job();
  `,
}

export const bulkSkippedRows: Migration = {
  name: '20261219-records-bulk-skipped',
  sql: `
    -- Rows that were not written because of duplicates.
    alter table records.bulk_job add column records_skipped integer not null default 0;
    alter table records.bulk_chunk add column skipped integer not null default 0;
  `,
}

export const bulkExports: Migration = {
  name: '20261217-records-bulk-export',
  sql: `
    -- What an export reads, and what is known of its file.
    alter table records.bulk_job add column query jsonb, add column exported jsonb;
  `,
}

export const bulkCredential: Migration = {
  name: '20270102-records-bulk-credential',
  sql: `
    -- Kind and id of the credential that created the job, whose scopes are read again while it runs; null for jobs of earlier versions.
    alter table records.bulk_job add column created_with jsonb;
  `,
}
