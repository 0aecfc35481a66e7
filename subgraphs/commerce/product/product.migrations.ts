import type { Migration } from '../../kernel/database/migrate.ts'
import {
  columnIndexes,
  dropMaintainedCountTriggers,
  maintainedCountTriggers,
  maintainedTotals,
  recordColumns,
  recordIndexes,
  searchIndex,
} from '../../kernel/record/record-table.ts'

export const productTable: Migration = {
  name: '20261121-commerce-product',
  sql: `
    create table commerce.product (${recordColumns},
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
      features text[] not null default '{}'
    );
    ${recordIndexes('commerce.product', 'product')}
    create index product_name on commerce.product (organization_id, name, id) where deleted_at is null;
    create unique index product_sku_live on commerce.product (organization_id, sku) where deleted_at is null;
    ${maintainedCountTriggers('commerce.product', 'product')}
  `,
}

export const productIndexes: Migration = {
  name: '20261122-commerce-product-indexes',
  sql: `
    drop index commerce.product_name;
    drop index commerce.product_updated;
    ${searchIndex('commerce.product', 'product', ['name', 'sku', 'description'])}
    ${columnIndexes('commerce.product', 'product', [
      'updated_at',
      'external_id',
      'owner_id',
      'name',
      'sku',
      'type',
      'category',
      'list_price',
      'unit_price',
      'cost_price',
      'currency',
      'billing_frequency',
      'is_active',
    ])}
  `,
}

export const productTotals: Migration = {
  name: '20261122-commerce-product-totals',
  sql: `
    ${dropMaintainedCountTriggers('commerce.product', 'product')}
    ${maintainedTotals('commerce.product', {
      by: ['type', 'category', 'billing_frequency', 'is_active', 'currency'],
      measures: { list_price: 'list_price', with_list_price: '(list_price is not null)::int' },
    })}
  `,
}
