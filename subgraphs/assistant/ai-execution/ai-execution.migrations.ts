import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'

/** The queue of executions: those that wait for the model or for their actions. */
export const describedRuns = {
  name: 'ai_run',
  table: 'assistant.ai_run',
  shares: { organization: 'organization_id', key: 'trigger_id', perKeyMax: 2, perOrganizationMax: 4 },
} as const

export const aiExecutionTables: Migration = {
  name: '20261128-assistant-ai-execution',
  sql: `
    create table assistant.ai_execution (
      organization_id uuid not null,
      id uuid not null,
      trigger_id uuid not null,
      -- The owner of the trigger when it was started: as whom it acts.
      owner_id uuid not null,
      status text not null,
      is_test boolean not null default false,
      -- The id of the event, or the digest of what an inbound request has signed; null of a test.
      request_key text,
      event_id uuid,
      event_type text,
      -- How many automations have started one another up to this execution.
      depth integer not null,
      input jsonb,
      output jsonb,
      -- The actions with their values and mutations, and what became of them.
      plan jsonb not null default '[]',
      error_code text,
      error_message text,
      usage jsonb,
      -- A digest of the rights of the owner when it began; null before.
      sight text,
      decided_by_id uuid,
      expires_at timestamptz(3),
      created_at timestamptz(3) not null,
      started_at timestamptz(3),
      completed_at timestamptz(3),
      duration_ms integer,
      primary key (organization_id, id)
    );
    -- An event, and an inbound request, starts a trigger once.
    create unique index ai_execution_request on assistant.ai_execution (organization_id, trigger_id, request_key) where request_key is not null;
    create index ai_execution_trigger on assistant.ai_execution (organization_id, trigger_id, id);
    create index ai_execution_status on assistant.ai_execution (organization_id, status, id);
    create index ai_execution_recent on assistant.ai_execution (organization_id, completed_at) where not is_test;
    create index ai_execution_created on assistant.ai_execution (created_at);
    create index ai_execution_open on assistant.ai_execution (created_at) where status in ('PENDING', 'RUNNING');
    create index ai_execution_awaiting on assistant.ai_execution (expires_at) where status = 'AWAITING_APPROVAL';

    create table assistant.ai_run (
      organization_id uuid not null,
      id uuid not null,
      execution_id uuid not null,
      trigger_id uuid not null,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(describedRuns)}
    create index ai_run_current on assistant.ai_run (organization_id, execution_id) where state = 'QUEUED';
  `,
}

export const skippedExecutions: Migration = {
  name: '20261129-assistant-skipped-executions',
  // Executions of the hour that do not begin, apart from those that do.
  sql: `alter table assistant.ai_trigger_state add column hour_skipped integer not null default 0;`,
}
