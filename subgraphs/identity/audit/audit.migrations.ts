import type { Migration } from '../../kernel/database/migrate.ts'

export const auditTable: Migration = {
  name: '20261121-identity-audit',
  sql: `
    create table identity.audit_entry (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      created_at timestamptz(3) not null,
      -- The acting user; null for a directory, the platform itself and its operator.
      actor_id uuid,
      actor_kind text not null,
      -- The session, key or token that the actor used.
      credential_id text,
      ip text,
      user_agent text,
      request_id text not null,
      action text not null,
      target_type text not null,
      target_id text not null,
      before jsonb,
      after jsonb,
      primary key (organization_id, id)
    );
    create index audit_entry_created on identity.audit_entry (organization_id, created_at, id);
    create index audit_entry_target on identity.audit_entry (organization_id, target_id, created_at);

    -- Append-only for every role, also for the owner of the table.
    create function identity.refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'identity.audit_entry is append-only' using errcode = 'insufficient_privilege';
    end $$;
    create trigger audit_entry_append_only before update or delete or truncate on identity.audit_entry
      for each statement execute function identity.refuse_audit_change();
  `,
}
