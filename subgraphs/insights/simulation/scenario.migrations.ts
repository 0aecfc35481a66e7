import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { listIndexes, maintainedTotals, recordColumns, searchIndex } from '../../kernel/record/record-table.ts'

export const scenarioTables: Migration = {
  name: '20261128-insights-scenario',
  sql: `
    create table insights.scenario (${recordColumns},
      name text not null,
      description text,
      period text,
      horizon_start timestamptz(3) not null,
      horizon_end timestamptz(3) not null,
      filters jsonb,
      adjustments jsonb not null default '[]',
      iterations integer not null,
      seed integer not null,
      target numeric,
      status text not null,
      failure text,
      last_run_at timestamptz(3)
    );
    ${searchIndex('insights.scenario', 'scenario', ['name', 'description'])}
    ${listIndexes('insights.scenario', 'scenario', ['name', 'status', 'last_run_at'])}
    ${maintainedTotals('insights.scenario', { by: ['status'] })}
    create index scenario_running on insights.scenario (updated_at) where status = 'RUNNING' and deleted_at is null;

    -- The result of the last completed run, and what the user who ran it could see.
    create table insights.scenario_result (
      organization_id uuid not null,
      scenario_id uuid not null,
      sight jsonb not null,
      result jsonb not null,
      primary key (organization_id, scenario_id)
    );

    create table insights.scenario_run (
      organization_id uuid not null,
      id uuid not null,
      scenario_id uuid not null,
      user_id uuid not null,
      previous_status text not null,
      progress double precision not null default 0,
      -- How long the completed run took.
      ran_ms integer,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes({
      name: 'scenario_run',
      table: 'insights.scenario_run',
      shares: { organization: 'organization_id', key: 'user_id', perKeyMax: 1 },
    })}
    create unique index scenario_run_current on insights.scenario_run (organization_id, scenario_id) where state = 'QUEUED';
    create index scenario_run_recent on insights.scenario_run (organization_id, created_at);
  `,
}
