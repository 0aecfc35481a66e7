import type { Migration } from '../../kernel/database/migrate.ts'
import { queueIndexes, sharedQueueColumns } from '../../kernel/queue/queue-table.ts'
import { listIndexes, recordColumns, uniqueExternalIds } from '../../kernel/record/record-table.ts'

/** What `turnQueue` says of its table: an item lets an interview go on without its user. */
export const turnTable = {
  name: 'flow_turn',
  table: 'extensions.flow_turn',
  shares: { organization: 'organization_id', key: 'flow_id', perKeyMax: 8, perOrganizationMax: 4 },
} as const

export const flowTables: Migration = {
  name: '20261220-extensions-flow',
  sql: `
    create table extensions.flow (${recordColumns},
      api_name text not null,
      label text not null,
      description text,
      type text not null,
      status text not null,
      flow_version integer not null,
      variables jsonb not null default '[]',
      start_element text,
      elements jsonb not null default '[]'
    );
    ${uniqueExternalIds(['extensions.flow'])}
    ${listIndexes('extensions.flow', 'flow', ['api_name', 'type', 'status'])}
    create unique index flow_api_name on extensions.flow (organization_id, api_name) where deleted_at is null;

    -- What interviews execute. A row is never changed.
    create table extensions.flow_version (
      organization_id uuid not null,
      flow_id uuid not null,
      number integer not null,
      api_name text not null,
      type text not null,
      variables jsonb not null,
      start_element text,
      elements jsonb not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, flow_id, number),
      foreign key (organization_id, flow_id) references extensions.flow (organization_id, id)
    );

    create function extensions.keep_flow() returns trigger language plpgsql as $$
    begin
      insert into extensions.flow_version (organization_id, flow_id, number, api_name, type, variables, start_element, elements, created_at)
        values (new.organization_id, new.id, new.flow_version, new.api_name, new.type, new.variables, new.start_element, new.elements, new.updated_at)
        on conflict do nothing;
      return null;
    end $$;
    create trigger flow_keeps after insert or update on extensions.flow
      for each row execute function extensions.keep_flow();

    create table extensions.flow_interview (
      organization_id uuid not null,
      id uuid not null,
      flow_id uuid not null,
      flow_api_name text not null,
      flow_version integer not null,
      status text not null,
      started_by_id uuid not null,
      -- The credential of the last request, whose scopes apply while the interview goes on by itself.
      requested_by jsonb not null,
      current_element text,
      -- What the user is asked; null unless the interview waits for it.
      screen jsonb,
      -- Where it is, with the values of all variables and what elements have returned; null when it has ended.
      state jsonb,
      -- The screens before, each with the state that it had.
      history jsonb not null default '[]',
      variables jsonb not null,
      outputs jsonb,
      error_code text,
      error_message text,
      error_element text,
      -- The item of the queue that lets it go on; null unless it goes on by itself.
      turn_id uuid,
      resumes_at timestamptz(3),
      version integer not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      ended_at timestamptz(3),
      primary key (organization_id, id),
      foreign key (organization_id, flow_id, flow_version) references extensions.flow_version (organization_id, flow_id, number)
    );
    create index flow_interview_of_user on extensions.flow_interview (organization_id, started_by_id, id);
    create index flow_interview_of_flow on extensions.flow_interview (organization_id, flow_id, id);
    create index flow_interview_open on extensions.flow_interview (expires_at)
      where status in ('RUNNING', 'WAITING_FOR_INPUT', 'PAUSED');
    create index flow_interview_ended on extensions.flow_interview (ended_at) where ended_at is not null;

    create table ${turnTable.table} (
      organization_id uuid not null,
      id uuid not null,
      flow_id uuid not null,
      interview_id uuid not null,
      ${sharedQueueColumns},
      primary key (organization_id, id)
    );
    ${queueIndexes(turnTable)}
  `,
}

export const flowInterviewColumns: Migration = {
  name: '20261221-extensions-flow-interview-columns',
  sql: `
    alter table extensions.flow_interview
      -- The scopes of the elements that have run, without which nothing of what they have found is shown; null: unknown.
      add column acted_scopes jsonb,
      -- By which lists are ordered. The default is for processes of the release before.
      add column list_key uuid default (
        lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || substr(md5(random()::text), 1, 20)
      )::uuid;
    update extensions.flow_interview set list_key = id;
    alter table extensions.flow_interview alter column list_key set not null;
    drop index extensions.flow_interview_of_user;
    drop index extensions.flow_interview_of_flow;
    create index flow_interview_listed on extensions.flow_interview (organization_id, list_key);
    create index flow_interview_of_user on extensions.flow_interview (organization_id, started_by_id, list_key);
    create index flow_interview_of_flow on extensions.flow_interview (organization_id, flow_id, list_key);
    create index flow_interview_open_of_user on extensions.flow_interview (organization_id, started_by_id)
      where status in ('RUNNING', 'WAITING_FOR_INPUT', 'PAUSED');
    create index flow_interview_open_of_flow on extensions.flow_interview (organization_id, flow_id, flow_version)
      where status in ('RUNNING', 'WAITING_FOR_INPUT', 'PAUSED');
  `,
}
