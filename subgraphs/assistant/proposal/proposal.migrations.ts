import type { Migration } from '../../kernel/database/migrate.ts'

export const proposalTables: Migration = {
  name: '20261128-assistant-proposal',
  sql: `
    create table assistant.proposal (
      organization_id uuid not null,
      id uuid not null,
      -- Only this user sees and confirms it.
      user_id uuid not null,
      conversation_id uuid,
      object text not null,
      action text not null,
      -- The record that it changes, or the id that a new one gets.
      record_id uuid not null,
      input jsonb not null,
      summary text not null,
      before jsonb,
      expected_version integer,
      influenced_by jsonb not null default '[]',
      -- A digest of the rights with which the record was read.
      sight text,
      status text not null,
      error_code text,
      error_message text,
      -- When a confirmation began: from then on it does not expire, because the change may have been made.
      begun_at timestamptz(3),
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      decided_at timestamptz(3),
      -- What a client was asked to ask its user, and what the user answered.
      question uuid,
      answer text,
      primary key (organization_id, id)
    );
    create index proposal_user on assistant.proposal (organization_id, user_id, id desc);
  `,
}

export const proposalOutput: Migration = {
  name: '20261129-assistant-proposal-output',
  sql: `
    -- What the custom action of a proposal has returned.
    alter table assistant.proposal add column output jsonb;
  `,
}
