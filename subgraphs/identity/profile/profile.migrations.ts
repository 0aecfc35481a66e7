import type { Migration } from '../../kernel/database/migrate.ts'

export const profileTables: Migration = {
  name: '20261121-identity-profile',
  sql: `
    create table identity.profile (
      organization_id uuid not null references identity.organization,
      id uuid not null,
      name text not null,
      is_default boolean not null default false,
      -- Restrictions by object and field: HIDDEN or READ. Fields that are not named may be read and written.
      fields jsonb not null default '{}',
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, id)
    );
    create unique index profile_name on identity.profile (organization_id, lower(name));
    create unique index profile_default on identity.profile (organization_id) where is_default;

    -- Null: the default profile of the organization, if there is one.
    alter table identity.app_user add column profile_id uuid,
      add foreign key (organization_id, profile_id) references identity.profile (organization_id, id);
    create index app_user_profile on identity.app_user (organization_id, profile_id) where profile_id is not null;

    create trigger profile_tells after insert or update or delete on identity.profile
      for each row execute function identity.tell_credentials_changed('organization_id');
    create trigger app_user_profile_tells after update of profile_id on identity.app_user
      for each row execute function identity.tell_credentials_changed('organization_id');
    create trigger organization_entitlements_tell after update of entitlements on identity.organization
      for each row execute function identity.tell_credentials_changed('id');
  `,
}
