import type { Migration } from '../../kernel/database/migrate.ts'

export const checkoutTable: Migration = {
  name: '20261124-commerce-invoice-checkout',
  sql: `
    -- The pages of the payment provider that were opened for invoices; payment_id is set when its payment is recorded.
    create table commerce.invoice_checkout (
      organization_id uuid not null,
      id text not null,
      invoice_id uuid not null,
      created_at timestamptz(3) not null,
      recorded_at timestamptz(3),
      primary key (organization_id, id)
    );
    create index invoice_checkout_invoice on commerce.invoice_checkout (organization_id, invoice_id);
  `,
}
