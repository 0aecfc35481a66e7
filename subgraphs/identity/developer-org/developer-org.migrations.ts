import type { Migration } from '../../kernel/database/migrate.ts'

const developerOf = (organization: string): string =>
  `case when ${organization}.deleted_at is null then coalesce(${organization}.developer_of, ${organization}.id) else ${organization}.id end`

export const developerOrgColumns: Migration = {
  name: '20261225-identity-developer-org',
  sql: `
    alter table identity.organization
      -- The organization that this developer organization belongs to; null for all others.
      add column developer_of uuid references identity.organization,
      add column deleted_at timestamptz(3),
      -- Nobody resumes a deleted organization.
      add constraint organization_deleted check (deleted_at is null or status = 'SUSPENDED');
    create index organization_developer_of on identity.organization (developer_of, created_at) where developer_of is not null;

    -- Requests see the developer organizations of their organization, and change their own organization only.
    create policy developer_organizations on identity.organization for select to crm_app
      using (developer_of = (select kernel.current_organization()));

    -- Whether the organization of the request and another one are the same, or one is the live developer organization of the other, or both are
    -- live developer organizations of one. It reads with the rights of its owner, because the request does not see the other organization.
    create function identity.is_of_same_developer(other uuid) returns boolean language sql stable
      security definer set search_path = pg_catalog, pg_temp as $$
      select coalesce(other = kernel.current_organization() or exists (
        select from identity.organization a join identity.organization b on ${developerOf('a')} = ${developerOf('b')}
        where a.id = kernel.current_organization() and b.id = other
      ), false)
    $$;
  `,
}
