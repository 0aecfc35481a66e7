import type { Migration } from '../../kernel/database/migrate.ts'

export const productTable: Migration = {
  name: '20261121-commerce-product',
  sql: `
    create table commerce.product (
      id uuid not null,
      organization_id uuid not null,
      owner_id uuid,
      external_id text,
      tags text[] not null default '{}',
      metadata jsonb,
      custom_fields jsonb not null,
      version integer not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      created_by_id uuid,
      updated_by_id uuid,
      deleted_at timestamptz(3),
      name text not null,
      sku text not null,
      description text,
      type text not null,
      category text not null,
      list_price numeric not null,
      unit_price numeric,
      cost_price numeric,
      currency text not null,
      billing_frequency text not null,
      is_active boolean not null default false,
      features text[] not null default '{}',
      primary key (organization_id, id)
    );

    create index product_created on commerce.product (organization_id, created_at, id) where deleted_at is null;
    create index product_updated on commerce.product (organization_id, updated_at, id) where deleted_at is null;
    create index product_deleted on commerce.product (organization_id, deleted_at, id) where deleted_at is not null;
    create index product_name on commerce.product (organization_id, name, id) where deleted_at is null;
    create unique index product_sku_live on commerce.product (organization_id, sku) where deleted_at is null;

    create trigger product_total_insert after insert on commerce.product referencing new table as new_rows
      for each statement execute function kernel.keep_total_of_inserted('product');
    create trigger product_total_update after update on commerce.product referencing old table as old_rows new table as new_rows
      for each statement execute function kernel.keep_total_of_updated('product');
    create trigger product_total_delete after delete on commerce.product referencing old table as old_rows
      for each statement execute function kernel.keep_total_of_deleted('product');
  `,
}
