import type { Migration } from '../../kernel/database/migrate.ts'
import { dayOf, maintainedTotals } from '../../kernel/record/record-table.ts'

const columns = [
  'id',
  'organization_id',
  'owner_id',
  'type',
  'invoice_id',
  'account_id',
  'refunded_payment_id',
  'amount',
  'currency',
  'method',
  'reference',
  'paid_at',
  'note',
  'recorded_by_id',
  'status',
  'refunded_amount',
  'created_at',
  'updated_at',
]
const indexed = columns.filter(
  (column) => !['id', 'organization_id', 'note', 'recorded_by_id', 'created_at'].includes(column),
)
const changing = columns.filter((column) => !['id', 'organization_id', 'created_at', 'updated_at'].includes(column))
const source = ['payments', 'refunds', 'owner_id', 'account_id', 'currency']

/**
 * The payments and refunds of all invoices as rows. When a row was recorded is when its invoice changed; of rows from before this migration, the time in
 * the id. The view is one like those of the tenant, so that filters by amounts and texts use their indexes.
 */
export const paymentTable: Migration = {
  name: '20261209-commerce-payment',
  sql: `
    create function commerce.reference_key(reference text) returns text language sql immutable parallel safe as
      $$ select nullif(btrim(lower(regexp_replace(reference, '[[:space:]]+', ' ', 'g'))), '') $$;
    create table commerce.payment (
      id uuid not null,
      organization_id uuid not null,
      owner_id uuid,
      type text not null,
      invoice_id uuid not null,
      account_id uuid,
      refunded_payment_id uuid,
      amount numeric not null,
      currency text not null,
      method text not null,
      reference text,
      paid_at timestamptz(3) not null,
      note text,
      recorded_by_id uuid,
      status text not null,
      refunded_amount numeric not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      reference_key text generated always as (commerce.reference_key(reference)) stored,
      search_text text not null generated always as (kernel.search_text(' ' || coalesce(reference, ''))) stored,
      primary key (organization_id, id)
    );

    create function commerce.time_of_id(id text, otherwise timestamptz) returns timestamptz language sql stable as $$
      select case when substr(id, 15, 1) = '7'
        then to_timestamp(('x' || substr(id, 1, 8) || substr(id, 10, 4))::bit(48)::bigint / 1000.0) else otherwise end
    $$;
    create function commerce.payments_of(i commerce.invoice, recorded timestamptz) returns table (${columns
      .map((column) => `${column} ${typeOf(column)}`)
      .join(', ')}) language sql stable as $$
      select (p ->> 'id')::uuid, i.organization_id, i.owner_id, 'PAYMENT', i.id, i.account_id, null::uuid, (p ->> 'amount')::numeric, i.currency,
        p ->> 'method', p ->> 'reference', (p ->> 'paidAt')::timestamptz, p ->> 'note', (p ->> 'recordedById')::uuid, p ->> 'status',
        (p ->> 'refundedAmount')::numeric, coalesce(recorded, commerce.time_of_id(p ->> 'id', (p ->> 'paidAt')::timestamptz)), i.updated_at
      from jsonb_array_elements(i.payments) p
      union all
      select (r ->> 'id')::uuid, i.organization_id, i.owner_id, 'REFUND', i.id, i.account_id, (r ->> 'paymentId')::uuid, (r ->> 'amount')::numeric, i.currency,
        (select p ->> 'method' from jsonb_array_elements(i.payments) p where p ->> 'id' = r ->> 'paymentId'),
        null, (r ->> 'refundedAt')::timestamptz, r ->> 'reason', (r ->> 'recordedById')::uuid, 'SUCCEEDED', 0,
        coalesce(recorded, commerce.time_of_id(r ->> 'id', (r ->> 'refundedAt')::timestamptz)), i.updated_at
      from jsonb_array_elements(i.refunds) r
    $$;
    insert into commerce.payment (${columns.join(', ')})
      select p.* from commerce.invoice i cross join lateral commerce.payments_of(i, null) p
      where i.payments <> '[]' on conflict do nothing;

    create function commerce.keep_payments() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then
        delete from commerce.payment where organization_id = old.organization_id and invoice_id = old.id;
        return null;
      end if;
      insert into commerce.payment as stored (${columns.join(', ')}) select * from commerce.payments_of(new, new.updated_at)
      on conflict (organization_id, id) do update set
        ${[...changing, 'updated_at'].map((column) => `${column} = excluded.${column}`).join(', ')}
      where (${changing.map((column) => `stored.${column}`).join(', ')})
        is distinct from (${changing.map((column) => `excluded.${column}`).join(', ')});
      return null;
    end $$;
    create trigger payments_insert after insert on commerce.invoice for each row
      when (new.payments <> '[]') execute function commerce.keep_payments();
    create trigger payments_update after update on commerce.invoice for each row
      when (new.payments <> '[]' and (${source.map((column) => `old.${column}`).join(', ')})
        is distinct from (${source.map((column) => `new.${column}`).join(', ')}))
      execute function commerce.keep_payments();
    create trigger payments_delete after delete on commerce.invoice for each row
      when (old.payments <> '[]') execute function commerce.keep_payments();

    create index payment_created on commerce.payment (organization_id, created_at, id);
    ${indexed
      .map(
        (column) =>
          `create index payment_by_${column} on commerce.payment (organization_id, ${column}, created_at, id);`,
      )
      .join('\n    ')}
    create index payment_search on commerce.payment using gin (organization_id, search_text gin_trgm_ops);
    -- The payments with a reference that a customer made lately.
    create index payment_reference_key on commerce.payment (organization_id, account_id, reference_key, created_at)
      where reference_key is not null;
    create view commerce.listed_payment as
      select ${columns.join(', ')}, search_text from commerce.payment where organization_id = kernel.current_organization();
    grant select on commerce.listed_payment to crm_app;
    ${maintainedTotals('commerce.payment', {
      by: ['type', 'method', 'status', 'currency'],
      measures: { amount: 'amount' },
      counted: 'true',
    })}
  `,
}

/** Answers ranges of the time of a payment in the order of their creation, as `dayIndexes` of other tables do; payments are not deleted. */
export const paymentDays: Migration = {
  name: '20261213-commerce-payment-days',
  sql: `create index payment_day_paid_at on commerce.payment (organization_id, (${dayOf('created_at')}), paid_at, created_at, id)`,
}

function typeOf(column: string): string {
  if (column === 'id' || column.endsWith('_id')) return 'uuid'
  if (column.endsWith('_at')) return 'timestamptz'
  return column.endsWith('amount') ? 'numeric' : 'text'
}
