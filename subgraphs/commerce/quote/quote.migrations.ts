import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, maintainedTotals, recordColumns, searchIndex } from '../../kernel/record/record-table.ts'
import { documentUrlColumn } from '../document/document-url.ts'
import { pricedColumns } from '../line-item/priced-record.ts'

export const quoteTable: Migration = {
  name: '20261123-commerce-quote',
  sql: `
    create table commerce.quote (${recordColumns},${pricedColumns},
      number integer not null,
      quote_number text not null,
      name text not null,
      status text not null,
      approval_status text not null,
      opportunity_id uuid,
      account_id uuid,
      contact_id uuid,
      line_items jsonb not null default '[]',
      valid_until timestamptz(3),
      payment_terms text not null,
      terms text,
      notes text,
      revision integer not null,
      revision_of_id uuid,
      is_primary boolean not null default false,
      reviewed_by_id uuid,
      reviewed_at timestamptz(3),
      review_comment text,
      sent_at timestamptz(3),
      viewed_at timestamptz(3),
      accepted_at timestamptz(3),
      accepted_by_name text,
      rejected_at timestamptz(3),
      rejection_reason text,
      expired_at timestamptz(3),
      order_id uuid
    );
    create unique index quote_number on commerce.quote (organization_id, number);
    create unique index quote_revision_of on commerce.quote (organization_id, revision_of_id)
      where deleted_at is null and revision_of_id is not null;
    create unique index quote_primary on commerce.quote (organization_id, opportunity_id)
      where deleted_at is null and is_primary;
    create index quote_valid_until on commerce.quote (valid_until, id) where status = 'SENT' and deleted_at is null;
    ${searchIndex('commerce.quote', 'quote', ['quote_number', 'name'])}
    ${listIndexes('commerce.quote', 'quote', [
      'quote_number',
      'name',
      'status',
      'approval_status',
      'opportunity_id',
      'account_id',
      'contact_id',
      'currency',
      'subtotal',
      'total',
      'valid_until',
      'revision_of_id',
      'is_primary',
      'sent_at',
      'accepted_at',
      'order_id',
    ])}
    ${maintainedTotals('commerce.quote', { by: ['status', 'approval_status', 'is_primary'] })}
  `,
}

export const quoteLinkTable: Migration = {
  name: '20261123-commerce-quote-link',
  sql: `
    -- The tokens of public pages of quotes, one for each mail. Only hashes are stored.
    create table commerce.quote_link (
      token_hash text primary key,
      organization_id uuid not null,
      quote_id uuid not null,
      recipient text not null,
      created_at timestamptz(3) not null
    );
    create index quote_link_quote on commerce.quote_link (organization_id, quote_id);
  `,
}

export const quoteDocumentUrl: Migration = {
  name: '20261124-commerce-quote-document-url',
  sql: `alter table commerce.quote add column ${documentUrlColumn('quotes')};`,
}

/** Totals by currency too, with the sum of the amounts. */
export const quoteAmountTotals: Migration = {
  name: '20261124-commerce-quote-amount-totals',
  sql: `
    drop function commerce.quote_totals_insert() cascade;
    drop function commerce.quote_totals_update() cascade;
    drop function commerce.quote_totals_delete() cascade;
    drop table commerce.quote_totals cascade;
    ${maintainedTotals('commerce.quote', {
      by: ['status', 'approval_status', 'is_primary', 'currency'],
      measures: { total: 'total' },
    })}
  `,
}

export const quoteMailFailure: Migration = {
  name: '20261128-commerce-quote-mail-failure',
  sql: 'alter table commerce.quote add column mail_failure text',
}

/** How the customer decided. Quotes that were decided without it were decided on the public page. */
export const quoteDecision: Migration = {
  name: '20261128-commerce-quote-decision',
  sql: `
    alter table commerce.quote add column rejected_by_name text, add column decision jsonb;
    update commerce.quote set decision = jsonb_build_object(
      'method', 'PUBLIC_PAGE', 'contactId', null, 'email', null, 'note', null, 'recordedById', null,
      'recordedAt', to_char(coalesce(accepted_at, rejected_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    where accepted_at is not null or rejected_at is not null;
  `,
}

/** Organizations take turns, so the due quotes of each are found on their own. */
export const quoteTurns: Migration = {
  name: '20261211-commerce-quote-turns',
  sql: `
    drop index commerce.quote_valid_until;
    create index quote_valid_until on commerce.quote (organization_id, valid_until, id) where status = 'SENT' and deleted_at is null;
  `,
}

/** Finds the quotes that a contact has decided on, when it is merged into another one. */
export const quoteDecisionContact: Migration = {
  name: '20261215-commerce-quote-decision-contact',
  sql: `create index quote_decision_contact on commerce.quote using gin (organization_id, decision jsonb_path_ops)
    where deleted_at is null and decision is not null;`,
}
