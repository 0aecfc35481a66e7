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

export const checkoutReuse: Migration = {
  name: '20261128-commerce-invoice-checkout-reuse',
  sql: `
    -- amount, currency and url: of a page that can be used again until expires_at; ended_at: nobody can pay on it any more;
    -- ask_at: when the provider is asked about it next. The id begins with "opening_" until the provider has opened the page.
    alter table commerce.invoice_checkout
      add column amount numeric,
      add column currency text,
      add column url text,
      add column expires_at timestamptz(3),
      add column ended_at timestamptz(3),
      add column ask_at timestamptz(3) default now();
    update commerce.invoice_checkout set ask_at = null where recorded_at is not null;
    create index invoice_checkout_ask on commerce.invoice_checkout (ask_at) where ask_at is not null;
  `,
}
