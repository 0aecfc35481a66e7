import type { Migration } from '../../kernel/database/migrate.ts'
import {
  dayIndexes,
  listIndexes,
  maintainedTotals,
  recordColumns,
  searchIndex,
} from '../../kernel/record/record-table.ts'
import { documentUrlColumn } from '../document/document-url.ts'
import { pricedColumns } from '../line-item/priced-record.ts'
import { invoiceBalances } from './invoice-balance.migrations.ts'
import { paymentEntryTable } from './payment-entry.migrations.ts'

const invoiceTable: Migration = {
  name: '20261124-commerce-invoice',
  sql: `
    create table commerce.invoice (${recordColumns},${pricedColumns},
      invoice_number text,
      status text not null,
      customer_id uuid,
      account_id uuid,
      contact_id uuid,
      order_id uuid,
      quote_id uuid,
      issue_date timestamptz(3),
      due_date timestamptz(3),
      payment_terms text not null,
      line_items jsonb not null default '[]',
      amount_paid numeric not null,
      amount_due numeric not null,
      payments jsonb not null default '[]',
      refunds jsonb not null default '[]',
      purchase_order_number text,
      terms text,
      notes text,
      sent_at timestamptz(3),
      sent_to text,
      viewed_at timestamptz(3),
      paid_at timestamptz(3),
      voided_at timestamptz(3),
      void_reason text,
      uncollectible_at timestamptz(3),
      overdue_at timestamptz(3),
      last_reminder_at timestamptz(3),
      reminder_count integer not null,
      dunning_level integer not null,
      dunning_fees numeric not null,
      dunning_blocked boolean not null default false,
      disputed_at timestamptz(3),
      dispute_reason text,
      last_payment_at timestamptz(3),
      closed_at timestamptz(3),
      days_to_pay integer,
      public_token text,
      ${documentUrlColumn('invoices')},
      constraint invoice_amounts check (amount_due = total - amount_paid),
      constraint invoice_is_issued check (
        status = 'DRAFT' or (invoice_number is not null and issue_date is not null and due_date is not null))
    );
    create unique index invoice_number on commerce.invoice (organization_id, invoice_number)
      where invoice_number is not null;
    create index invoice_public_token on commerce.invoice (public_token) where public_token is not null;
    -- Receivables: what is open at present, and what was open until a later time.
    create index invoice_open on commerce.invoice (organization_id, due_date, id)
      include (customer_id, currency, amount_due, issue_date, owner_id)
      where deleted_at is null and status in ('SENT', 'PARTIALLY_PAID', 'OVERDUE');
    create index invoice_open_of_customer on commerce.invoice (organization_id, customer_id, due_date, id)
      include (currency, amount_due, issue_date, owner_id)
      where deleted_at is null and status in ('SENT', 'PARTIALLY_PAID', 'OVERDUE');
    create index invoice_closed on commerce.invoice (organization_id, closed_at)
      where deleted_at is null and closed_at is not null;
    create index invoice_sales on commerce.invoice (organization_id, issue_date) include (customer_id, currency, total, owner_id)
      where deleted_at is null and status in ('SENT', 'PARTIALLY_PAID', 'OVERDUE', 'PAID', 'UNCOLLECTIBLE');
    -- What the clock makes overdue, of all organizations.
    create index invoice_not_overdue on commerce.invoice (due_date, id)
      where deleted_at is null and status in ('SENT', 'PARTIALLY_PAID');
    ${searchIndex('commerce.invoice', 'invoice', ['invoice_number', 'purchase_order_number'])}
    ${listIndexes('commerce.invoice', 'invoice', [
      'invoice_number',
      'status',
      'customer_id',
      'account_id',
      'contact_id',
      'order_id',
      'quote_id',
      'currency',
      'subtotal',
      'total',
      'amount_paid',
      'amount_due',
      'issue_date',
      'due_date',
      'purchase_order_number',
      'sent_at',
      'paid_at',
    ])}
    ${maintainedTotals('commerce.invoice', {
      by: ['status', 'currency'],
      measures: {
        total: 'total',
        amount_paid: 'amount_paid',
        amount_due: 'amount_due',
        days_to_pay: 'coalesce(days_to_pay, 0)',
      },
    })}

    -- Mails of sent invoices whose PDF is not laid out yet.
    create table commerce.invoice_mail (
      organization_id uuid not null,
      id uuid not null,
      invoice_id uuid not null,
      recipient text not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, id)
    );
    create index invoice_mail_created on commerce.invoice_mail (created_at);

    -- The movements of money of each invoice, which its payments and refunds are: what an invoice owed at an earlier time follows from the
    -- later ones.
    create table commerce.invoice_movement (
      organization_id uuid not null,
      invoice_id uuid not null,
      moved_at timestamptz(3) not null,
      amount numeric not null
    );
    create index invoice_movement_at on commerce.invoice_movement (organization_id, moved_at) include (invoice_id, amount);
    create index invoice_movement_invoice on commerce.invoice_movement (organization_id, invoice_id);
    create function commerce.keep_invoice_movements() returns trigger language plpgsql as $$ begin
      if tg_op = 'UPDATE' then
        delete from commerce.invoice_movement where organization_id = new.organization_id and invoice_id = new.id;
      end if;
      insert into commerce.invoice_movement (organization_id, invoice_id, moved_at, amount)
      select new.organization_id, new.id, (p ->> 'paidAt')::timestamptz, (p ->> 'amount')::numeric
      from jsonb_array_elements(new.payments) p where p ->> 'status' in ('SUCCEEDED', 'REFUNDED')
      union all
      select new.organization_id, new.id, (r ->> 'refundedAt')::timestamptz, -(r ->> 'amount')::numeric
      from jsonb_array_elements(new.refunds) r;
      return null;
    end $$;
    create trigger keep_movements_insert after insert on commerce.invoice for each row
      when (new.payments <> '[]') execute function commerce.keep_invoice_movements();
    create trigger keep_movements_update after update on commerce.invoice for each row
      when (old.payments is distinct from new.payments or old.refunds is distinct from new.refunds)
      execute function commerce.keep_invoice_movements();
  `,
}

const invoiceMailFailure: Migration = {
  name: '20261128-commerce-invoice-mail-failure',
  sql: 'alter table commerce.invoice add column mail_failure text',
}

/** A mail that waits has no sender to whom answers could go. */
const invoiceMailSender: Migration = {
  name: '20261205-commerce-invoice-mail-sender',
  sql: `
    alter table commerce.invoice_mail
      add column greeting text not null default 'Hello,',
      add column sender_id uuid;
    alter table commerce.invoice_mail alter column greeting drop default;
  `,
}

/** What the sender writes in the mail. */
const invoiceMailMessage: Migration = {
  name: '20261207-commerce-invoice-mail-message',
  sql: 'alter table commerce.invoice_mail add column message text',
}

const invoiceDays: Migration = {
  name: '20261125-commerce-invoice-days',
  sql: dayIndexes('commerce.invoice', 'invoice', ['due_date']),
}

/** An invoice is paid on a day of its organization, which is not always the day in UTC. */
const invoiceDaysToPay: Migration = {
  name: '20261201-commerce-invoice-days-to-pay',
  sql: `
    with own as materialized (
      select o.id, o.settings ->> 'timezone' as zone from identity.organization o
      where o.settings ->> 'timezone' in (select name from pg_timezone_names)
    )
    update commerce.invoice i
    set days_to_pay = greatest(0, (i.paid_at at time zone own.zone)::date - (i.issue_date at time zone 'UTC')::date)
    from own where own.id = i.organization_id and i.days_to_pay is not null
      and i.days_to_pay <> greatest(0, (i.paid_at at time zone own.zone)::date - (i.issue_date at time zone 'UTC')::date);
  `,
}

/** Organizations take turns, so the due invoices of each are found on their own. */
const invoiceTurns: Migration = {
  name: '20261211-commerce-invoice-turns',
  sql: `
    drop index commerce.invoice_not_overdue;
    create index invoice_not_overdue on commerce.invoice (organization_id, due_date, id)
      where deleted_at is null and status in ('SENT', 'PARTIALLY_PAID');
  `,
}

export const invoiceMigrations: readonly Migration[] = [
  invoiceTable,
  invoiceBalances,
  invoiceMailFailure,
  invoiceDays,
  invoiceDaysToPay,
  invoiceMailSender,
  invoiceMailMessage,
  paymentEntryTable,
  invoiceTurns,
]
