import type { Migration } from '../../kernel/database/migrate.ts'

export const appTables: Migration = {
  name: '20261225-extensions-app-package',
  sql: `
    -- An app, as its publisher has it.
    create table extensions.app_package (
      organization_id uuid not null,
      id uuid not null,
      slug text not null,
      name text not null,
      description text,
      homepage_url text,
      -- The name of the organization when it published the latest version.
      publisher_name text not null,
      listing text not null default 'PRIVATE',
      -- When the publisher asked for the listing; null when nobody waits for an answer.
      requested_at timestamptz(3),
      latest_number text not null,
      version_count integer not null,
      -- What the files of all versions take.
      stored_bytes bigint not null,
      search_text text not null generated always as (kernel.search_text(
        ' ' || slug || ' ' || name || ' ' || coalesce(description, ''))) stored,
      published_at timestamptz(3) not null,
      created_at timestamptz(3) not null,
      created_by_id uuid,
      deleted_at timestamptz(3),
      primary key (organization_id, id)
    );
    -- Slugs of deleted packages are not free either: other organizations may still have the app.
    create unique index app_package_slug on extensions.app_package (slug);
    create unique index app_package_id on extensions.app_package (id);
    create index app_package_listed on extensions.app_package (id) where listing = 'LISTED' and deleted_at is null;
    create index app_package_listed_search on extensions.app_package using gin (search_text gin_trgm_ops)
      where listing = 'LISTED' and deleted_at is null;
    create index app_package_requested on extensions.app_package (requested_at, id) where requested_at is not null;

    -- A version never changes.
    create table extensions.app_version (
      organization_id uuid not null,
      id uuid not null,
      package_id uuid not null,
      -- Versions are published in the order of their numbers, so this is both orders, from 1.
      position integer not null,
      number text not null,
      scopes text[] not null,
      settings_schema jsonb,
      slots jsonb not null,
      -- [{type, name}]
      components jsonb not null,
      -- The files of the project, compressed as those of deployments.
      files bytea not null,
      bytes integer not null,
      -- Digest of all files, by which a repeated publication is known.
      sha256 text not null,
      release_notes text,
      client_id uuid,
      created_at timestamptz(3) not null,
      created_by_id uuid,
      primary key (organization_id, id),
      foreign key (organization_id, package_id) references extensions.app_package (organization_id, id)
    );
    create unique index app_version_number on extensions.app_version (package_id, number);
    create unique index app_version_position on extensions.app_version (organization_id, package_id, position);

    -- Every organization sees what is in the marketplace.
    create policy let_in on extensions.app_package for select to crm_app
      using (listing = 'LISTED' and deleted_at is null);
    create policy let_in on extensions.app_version for select to crm_app
      using (exists (
        select from extensions.app_package p
        where p.id = app_version.package_id and p.listing = 'LISTED' and p.deleted_at is null
      ));
  `,
}

/** The marketplace as one view: with the rights of its owner, so that search can use its index, which row-level security prevents. */
export const marketplaceView: Migration = {
  name: '20261225-extensions-marketplace',
  sql: `
    create view extensions.marketplace_app as
      select organization_id, id, slug, name, description, homepage_url, publisher_name, listing, latest_number, published_at, search_text
      from extensions.app_package where listing = 'LISTED' and deleted_at is null;
    grant select on extensions.marketplace_app to crm_app;
  `,
}
