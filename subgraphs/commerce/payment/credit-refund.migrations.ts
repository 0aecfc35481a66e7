import type { Migration } from '../../kernel/database/migrate.ts'

/** The refunds of credit notes are payments too, which belong to no invoice. */
export const creditNoteRefunds: Migration = {
  name: '20261210-commerce-credit-note-refunds',
  sql: `
    alter table commerce.payment alter column invoice_id drop not null, add column credit_note_id uuid;
    create index payment_by_credit_note_id on commerce.payment (organization_id, credit_note_id, created_at, id);
    drop view commerce.listed_payment;
    create view commerce.listed_payment as
      select id, organization_id, owner_id, type, invoice_id, credit_note_id, account_id, refunded_payment_id, amount, currency, method, reference,
        paid_at, note, recorded_by_id, status, refunded_amount, created_at, updated_at, search_text
      from commerce.payment where organization_id = kernel.current_organization();
    grant select on commerce.listed_payment to crm_app;
    create function commerce.keep_credit_note_refunds() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then
        delete from commerce.payment where organization_id = old.organization_id and credit_note_id = old.id;
        return null;
      end if;
      insert into commerce.payment as stored (id, organization_id, owner_id, type, credit_note_id, account_id, amount, currency, method, reference,
        paid_at, note, recorded_by_id, status, refunded_amount, created_at, updated_at)
      select (r ->> 'id')::uuid, new.organization_id, new.owner_id, 'REFUND', new.id, new.account_id, (r ->> 'amount')::numeric, new.currency, r ->> 'method',
        r ->> 'reference', (r ->> 'refundedAt')::timestamptz, r ->> 'note', (r ->> 'recordedById')::uuid, 'SUCCEEDED', 0, new.updated_at, new.updated_at
      from jsonb_array_elements(new.refunds) r
      on conflict (organization_id, id) do update set owner_id = excluded.owner_id, updated_at = excluded.updated_at
      where stored.owner_id is distinct from excluded.owner_id;
      return null;
    end $$;
    create trigger refunds_update after update on commerce.credit_note for each row
      when (new.refunds <> '[]' and (old.refunds, old.owner_id) is distinct from (new.refunds, new.owner_id))
      execute function commerce.keep_credit_note_refunds();
    create trigger refunds_insert after insert on commerce.credit_note for each row
      when (new.refunds <> '[]') execute function commerce.keep_credit_note_refunds();
    create trigger refunds_delete after delete on commerce.credit_note for each row
      when (old.refunds <> '[]') execute function commerce.keep_credit_note_refunds();
  `,
}
