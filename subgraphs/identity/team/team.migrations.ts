import type { Migration } from '../../kernel/database/migrate.ts'

export const teamTables: Migration = {
  name: '20261121-identity-team',
  sql: `
    create table identity.team (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      name text not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, id)
    );
    create table identity.team_member (
      organization_id uuid not null,
      team_id uuid not null,
      user_id uuid not null,
      primary key (organization_id, team_id, user_id),
      foreign key (organization_id, team_id) references identity.team (organization_id, id),
      foreign key (organization_id, user_id) references identity.app_user (organization_id, id)
    );
    create index team_member_user on identity.team_member (organization_id, user_id);
    -- Record visibility TEAM depends on the members.
    create trigger team_member_tells after insert or update or delete on identity.team_member
      for each row execute function identity.tell_credentials_changed('organization_id');
  `,
}
