import type { Migration } from '../../kernel/database/migrate.ts'

export const conversationTables: Migration = {
  name: '20261128-assistant-conversation',
  sql: `
    create table assistant.conversation (
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      title text,
      record_id text,
      record_type text,
      is_archived boolean not null default false,
      message_count integer not null default 0,
      last_message_at timestamptz(3),
      -- The answer that is being written, and until when its process must have ended it.
      answering_id uuid,
      answering_until timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, id)
    );
    create index conversation_user on assistant.conversation (organization_id, user_id, (coalesce(last_message_at, created_at)) desc, id desc);

    create table assistant.message (
      organization_id uuid not null,
      id uuid not null,
      conversation_id uuid not null,
      user_id uuid not null,
      reply_to_id uuid,
      role text not null,
      content text not null,
      mode text not null,
      model text,
      context jsonb,
      status text not null,
      error_code text,
      citations jsonb not null default '[]',
      tool_calls jsonb not null default '[]',
      not_understood text[] not null default '{}',
      input_tokens integer,
      output_tokens integer,
      is_estimated boolean,
      latency_ms integer,
      first_token_ms integer,
      feedback text,
      created_at timestamptz(3) not null,
      primary key (organization_id, id)
    );
    create index message_conversation on assistant.message (organization_id, conversation_id, id);
    create index message_answers on assistant.message (organization_id, created_at) where role = 'ASSISTANT';
  `,
}

export const sightOfAnswers: Migration = {
  name: '20261129-assistant-sight-of-answers',
  sql: `
    -- With which rights an answer was made: the owners whose records its user saw (null: all), the fields that were hidden, the role and the scopes;
    -- and the types and ids of the records that it is made of. What is older than these columns is shown only with all rights.
    alter table assistant.message add column seen_owner_ids uuid[], add column hidden_fields text[], add column role_then text,
      add column scopes_then text[], add column records text[];
  `,
}
