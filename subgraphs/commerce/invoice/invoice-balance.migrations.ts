import type { Migration } from '../../kernel/database/migrate.ts'

/** What an invoice owed, as rows: one for each time between two movements of money. */
export const invoiceBalances: Migration = {
  name: '20261125-commerce-invoice-balance',
  sql: `
    drop trigger keep_movements_insert on commerce.invoice;
    drop trigger keep_movements_update on commerce.invoice;
    drop function commerce.keep_invoice_movements();
    drop table commerce.invoice_movement;
    drop index commerce.invoice_closed;
    drop index commerce.invoice_open_of_customer;

    -- The amount above 0 that an invoice owed after since until until, which is infinity at present. A period is at most 2^level days long,
    -- so the periods that contain a moment are in one range of since for each level; level 99 has no end.
    create table commerce.invoice_balance (
      organization_id uuid not null,
      invoice_id uuid not null,
      since timestamptz(3) not null,
      until timestamptz(3) not null,
      level smallint not null,
      issue_date timestamptz(3) not null,
      due_date timestamptz(3) not null,
      customer_id uuid,
      owner_id uuid,
      currency text not null,
      balance numeric not null,
      primary key (organization_id, invoice_id, since)
    );
    create index invoice_balance_at on commerce.invoice_balance (organization_id, level, since)
      include (until, issue_date, due_date, customer_id, owner_id, currency, balance);
    create index invoice_balance_of_customer on commerce.invoice_balance (organization_id, customer_id, level, since);

    create function commerce.balances_of(i commerce.invoice) returns setof commerce.invoice_balance language sql stable as $$
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
          ) a group by a.at
        ) m window moved as (order by m.at)
      ) b
      cross join lateral (
        select greatest(b.at, i.issue_date) as since, least(b.next, coalesce(i.closed_at, 'infinity')) as until
      ) p
      where i.deleted_at is null and i.status <> 'DRAFT' and b.balance > 0 and p.until > p.since
    $$;
    create function commerce.keep_invoice_balances() returns trigger language plpgsql as $$ begin
      if tg_op = 'UPDATE' then
        delete from commerce.invoice_balance where organization_id = new.organization_id and invoice_id = new.id;
      end if;
      insert into commerce.invoice_balance select * from commerce.balances_of(new);
      return null;
    end $$;
    create trigger keep_balances_insert after insert on commerce.invoice for each row
      when (new.status <> 'DRAFT') execute function commerce.keep_invoice_balances();
    create trigger keep_balances_update after update on commerce.invoice for each row
      when (new.status <> 'DRAFT' and (old.status = 'DRAFT', old.payments, old.refunds, old.total, old.issue_date, old.due_date,
          old.closed_at, old.deleted_at, old.customer_id, old.owner_id, old.currency)
        is distinct from (false, new.payments, new.refunds, new.total, new.issue_date, new.due_date,
          new.closed_at, new.deleted_at, new.customer_id, new.owner_id, new.currency))
      execute function commerce.keep_invoice_balances();
    -- How late customers pay.
    create index invoice_paid_of_customer on commerce.invoice (organization_id, customer_id, paid_at) include (due_date, owner_id)
      where deleted_at is null and status = 'PAID';
    insert into commerce.invoice_balance select b.* from commerce.invoice i cross join lateral commerce.balances_of(i) b;
  `,
}
