import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, maintainedTotals, recordColumns, searchIndex } from '../../kernel/record/record-table.ts'
import { documentUrlColumn } from '../document/document-url.ts'
import { pricedColumns } from '../line-item/priced-record.ts'

export const orderTable: Migration = {
  name: '20261123-commerce-order',
  sql: `
    create table commerce."order" (${recordColumns},${pricedColumns},
      number integer not null,
      order_number text not null,
      status text not null,
      payment_status text not null,
      invoice_status text not null,
      quote_id uuid,
      opportunity_id uuid,
      account_id uuid,
      contact_id uuid,
      line_items jsonb not null default '[]',
      order_date timestamptz(3) not null,
      requested_date timestamptz(3),
      payment_terms text not null,
      purchase_order_number text,
      billing_address jsonb,
      shipping_address jsonb,
      terms text,
      notes text,
      confirmed_at timestamptz(3),
      fulfilled_at timestamptz(3),
      cancelled_at timestamptz(3),
      cancel_reason text,
      returned_at timestamptz(3),
      return_reason text
    );
    create unique index order_number on commerce."order" (organization_id, number);
    -- A quote becomes one order, also when several requests convert it at once.
    create unique index order_quote on commerce."order" (organization_id, quote_id)
      where deleted_at is null and quote_id is not null;
    ${searchIndex('commerce."order"', 'order', ['order_number', 'purchase_order_number'])}
    ${listIndexes('commerce."order"', 'order', [
      'order_number',
      'status',
      'payment_status',
      'invoice_status',
      'quote_id',
      'opportunity_id',
      'account_id',
      'contact_id',
      'currency',
      'subtotal',
      'total',
      'order_date',
      'requested_date',
      'purchase_order_number',
      'fulfilled_at',
    ])}
    ${maintainedTotals('commerce."order"', {
      by: ['status', 'payment_status', 'invoice_status', 'currency'],
      measures: { total: 'total' },
    })}
  `,
}

export const orderDocumentUrl: Migration = {
  name: '20261124-commerce-order-document-url',
  sql: `alter table commerce."order" add column ${documentUrlColumn('orders')};`,
}
