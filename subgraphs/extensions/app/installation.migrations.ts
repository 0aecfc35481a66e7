import type { Migration } from '../../kernel/database/migrate.ts'

export const installedAppTable: Migration = {
  name: '20261231-extensions-installed-app',
  sql: `
    create table extensions.installed_app (
      organization_id uuid not null,
      id uuid not null,
      package_id uuid not null,
      slug text not null,
      name text not null,
      publisher_name text not null,
      -- The version in use; null while there is none.
      app_version text,
      scopes text[] not null default '{}',
      asked_scopes text[] not null default '{}',
      settings jsonb not null default '{}',
      settings_schema jsonb,
      slots jsonb not null default '[]',
      client_id uuid,
      -- What takes the place of these values when the deployment succeeds.
      wanted jsonb,
      -- The last deployment, and what it was for.
      deployment_id uuid,
      operation text,
      installed_by_id uuid,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (organization_id, id),
      unique (organization_id, package_id),
      unique (organization_id, slug)
    );

    alter table extensions.deployment
      -- The app that the deployment installs, updates or removes, as {installationId, slug, operation}.
      add column app jsonb;

    -- An installation follows its deployment: how it stands is not stored twice.
    create view extensions.installed_app_with_state with (security_invoker = true) as
      select i.*,
        case
          when d.id is not null then
            case i.operation when 'INSTALL' then 'INSTALLING' when 'UPDATE' then 'UPDATING' else 'UNINSTALLING' end
          when i.app_version is null then 'FAILED'
          else 'INSTALLED'
        end as status
      from extensions.installed_app i
      left join extensions.deployment d
        on d.organization_id = i.organization_id and d.id = i.deployment_id and d.state = 'QUEUED';

    -- An organization tries its apps in its developer organizations, and installs what it developed there.
    create policy same_developer on extensions.app_package for select to crm_app
      using (deleted_at is null and identity.is_of_same_developer(organization_id));
    create policy same_developer on extensions.app_version for select to crm_app
      using (identity.is_of_same_developer(organization_id));
    -- What an organization has installed it can install again, and update.
    create policy installed on extensions.app_package for select to crm_app
      using (exists (select from extensions.installed_app i where i.package_id = app_package.id and i.app_version is not null));
    create policy installed on extensions.app_version for select to crm_app
      using (exists (select from extensions.installed_app i where i.package_id = app_version.package_id and i.app_version is not null));
  `,
}
