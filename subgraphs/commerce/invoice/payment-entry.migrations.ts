import type { Migration } from '../../kernel/database/migrate.ts'

const links = ['account_id', 'contact_id']

const entriesOf = (invoices: string): string => `
    insert into commerce.payment_entry
      (organization_id, invoice_id, payment_id, ${links.join(', ')}, paid_at, method, status, recorded_by_id)
    select i.organization_id, i.id, (p ->> 'id')::uuid, ${links.map((link) => `i.${link}`).join(', ')}, (p ->> 'paidAt')::timestamptz,
      p ->> 'method', p ->> 'status', (p ->> 'recordedById')::uuid
    from ${invoices} i, jsonb_array_elements(i.payments) as p`

/** The payments of all invoices of a customer, by time, for its timeline. */
export const paymentEntryTable: Migration = {
  name: '20261207-commerce-payment-entry',
  sql: `
    create table commerce.payment_entry (
      organization_id uuid not null,
      invoice_id uuid not null,
      payment_id uuid not null,
      account_id uuid,
      contact_id uuid,
      paid_at timestamptz(3) not null,
      method text not null,
      status text not null,
      recorded_by_id uuid,
      primary key (organization_id, invoice_id, payment_id)
    );
    create function commerce.keep_payment_entries() returns trigger language plpgsql as $$ begin
      if tg_op <> 'INSERT' then
        delete from commerce.payment_entry where organization_id = old.organization_id and invoice_id = old.id;
      end if;
      if tg_op <> 'DELETE' then ${entriesOf('(select new.*)')}; end if;
      return null;
    end $$;
    create trigger payment_entries_insert after insert on commerce.invoice for each row
      when (new.payments <> '[]') execute function commerce.keep_payment_entries();
    create trigger payment_entries_delete after delete on commerce.invoice for each row
      when (old.payments <> '[]') execute function commerce.keep_payment_entries();
    create trigger payment_entries_update after update on commerce.invoice for each row
      when (${['payments', ...links].map((column) => `old.${column} is distinct from new.${column}`).join(' or ')})
      execute function commerce.keep_payment_entries();
    ${entriesOf('commerce.invoice')};
    ${links
      .map(
        (link) => `
    create index payment_entry_${link} on commerce.payment_entry (organization_id, ${link}, paid_at, payment_id)
      where ${link} is not null;`,
      )
      .join('')}
  `,
}
