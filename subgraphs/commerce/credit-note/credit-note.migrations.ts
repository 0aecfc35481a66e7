import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, maintainedTotals, recordColumns, searchIndex } from '../../kernel/record/record-table.ts'
import { documentUrlColumn } from '../document/document-url.ts'
import { pricedColumns } from '../line-item/priced-record.ts'

export const creditNoteTable: Migration = {
  name: '20261210-commerce-credit-note',
  sql: `
    create table commerce.credit_note (${recordColumns},${pricedColumns},
      credit_note_number text,
      status text not null,
      invoice_id uuid,
      customer_id uuid,
      account_id uuid,
      contact_id uuid,
      issue_date timestamptz(3),
      line_items jsonb not null default '[]',
      amount_applied numeric not null,
      amount_refunded numeric not null,
      amount_left numeric not null,
      applications jsonb not null default '[]',
      refunds jsonb not null default '[]',
      reason text,
      notes text,
      issued_at timestamptz(3),
      voided_at timestamptz(3),
      void_reason text,
      ${documentUrlColumn('credit-notes')},
      constraint credit_note_amounts check (amount_left >= 0
        and amount_left = case when status = 'ISSUED' then total - amount_applied - amount_refunded else 0 end),
      constraint credit_note_is_issued check (status = 'DRAFT' or (credit_note_number is not null and issue_date is not null))
    );
    create unique index credit_note_number on commerce.credit_note (organization_id, credit_note_number)
      where credit_note_number is not null;
    ${searchIndex('commerce.credit_note', 'credit_note', ['credit_note_number', 'reason'])}
    ${listIndexes('commerce.credit_note', 'credit_note', [
      'credit_note_number',
      'status',
      'invoice_id',
      'customer_id',
      'account_id',
      'contact_id',
      'currency',
      'subtotal',
      'total',
      'amount_applied',
      'amount_refunded',
      'amount_left',
      'issue_date',
      'issued_at',
    ])}
    ${maintainedTotals('commerce.credit_note', {
      by: ['status', 'currency'],
      measures: {
        total: 'total',
        amount_applied: 'amount_applied',
        amount_refunded: 'amount_refunded',
        amount_left: 'amount_left',
      },
    })}
  `,
}

/** Credits of invoices: what they owed at a time also follows from what was applied until then. */
export const invoiceCredits: Migration = {
  name: '20261210-commerce-invoice-credits',
  sql: `
    alter table commerce.invoice
      add column amount_credited numeric not null default 0,
      add column credits jsonb not null default '[]',
      drop constraint invoice_amounts,
      add constraint invoice_amounts check (amount_due = total - amount_paid - amount_credited);
    alter table commerce.invoice alter column amount_credited drop default;
    create index invoice_by_amount_credited on commerce.invoice (organization_id, amount_credited, created_at, id) where deleted_at is null;

    create or replace function commerce.balances_of(i commerce.invoice) returns setof commerce.invoice_balance language sql stable as $$
      select i.organization_id, i.id, p.since, p.until,
        (case when p.until = 'infinity' then 99
          else greatest(0, ceil(ln(extract(epoch from p.until - p.since) / 86400) / ln(2::numeric))) end)::smallint,
        i.issue_date, i.due_date, i.customer_id, i.owner_id, i.currency, b.balance
      from (
        select m.at, lead(m.at, 1, 'infinity') over moved as next, i.total - sum(m.amount) over moved as balance
        from (
          select a.at, sum(a.amount) as amount from (
            select '-infinity'::timestamptz as at, 0::numeric as amount
            union all
            select (p ->> 'paidAt')::timestamptz, (p ->> 'amount')::numeric
            from jsonb_array_elements(i.payments) p where p ->> 'status' in ('SUCCEEDED', 'REFUNDED')
            union all
            select (r ->> 'refundedAt')::timestamptz, -(r ->> 'amount')::numeric from jsonb_array_elements(i.refunds) r
            union all
            select (c ->> 'appliedAt')::timestamptz, (c ->> 'amount')::numeric from jsonb_array_elements(i.credits) c
            union all
            select (c ->> 'reversedAt')::timestamptz, -(c ->> 'amount')::numeric
            from jsonb_array_elements(i.credits) c where c ->> 'reversedAt' is not null
          ) a group by a.at
        ) m window moved as (order by m.at)
      ) b
      cross join lateral (
        select greatest(b.at, i.issue_date) as since, least(b.next, coalesce(i.closed_at, 'infinity')) as until
      ) p
      where i.deleted_at is null and i.status <> 'DRAFT' and b.balance > 0 and p.until > p.since
    $$;
    drop trigger keep_balances_update on commerce.invoice;
    create trigger keep_balances_update after update on commerce.invoice for each row
      when (new.status <> 'DRAFT' and (old.status = 'DRAFT', old.payments, old.refunds, old.credits, old.total, old.issue_date, old.due_date,
          old.closed_at, old.deleted_at, old.customer_id, old.owner_id, old.currency)
        is distinct from (false, new.payments, new.refunds, new.credits, new.total, new.issue_date, new.due_date,
          new.closed_at, new.deleted_at, new.customer_id, new.owner_id, new.currency))
      execute function commerce.keep_invoice_balances();
  `,
}

/** The maintained totals of invoices, with what was credited. */
export const invoiceCreditTotals: Migration = {
  name: '20261212-commerce-invoice-credit-totals',
  sql: `
    drop function commerce.invoice_totals_insert() cascade;
    drop function commerce.invoice_totals_update() cascade;
    drop function commerce.invoice_totals_delete() cascade;
    drop table commerce.invoice_totals cascade;
    ${maintainedTotals('commerce.invoice', {
      by: ['status', 'currency'],
      measures: {
        total: 'total',
        amount_paid: 'amount_paid',
        amount_credited: 'amount_credited',
        amount_due: 'amount_due',
        days_to_pay: 'coalesce(days_to_pay, 0)',
      },
    })}
  `,
}
