import type { Migration } from '../../kernel/database/migrate.ts'
import {
  emailIndex,
  listIndexes,
  maintainedTotals,
  recordColumns,
  searchIndex,
} from '../../kernel/record/record-table.ts'

export const leadTable: Migration = {
  name: '20261122-crm-lead',
  sql: `
    create table crm.lead (${recordColumns},
      name text not null,
      first_name text not null,
      last_name text not null,
      email text,
      phone text,
      mobile_phone text,
      company text,
      title text,
      status text not null,
      lead_source text not null,
      rating text,
      rating_overridden boolean not null default false,
      lead_score integer,
      website text,
      industry text,
      number_of_employees integer,
      annual_revenue numeric,
      street text,
      city text,
      state text,
      postal_code text,
      country text,
      description text,
      unqualified_reason text,
      first_response_at timestamptz(3),
      last_activity_date timestamptz(3),
      next_activity_date timestamptz(3),
      converted_at timestamptz(3),
      converted_by_id uuid,
      converted_account_id uuid,
      converted_contact_id uuid,
      converted_opportunity_id uuid,
      email_opt_out boolean not null default false,
      do_not_call boolean not null default false
    );
    ${listIndexes('crm.lead', 'lead', [
      'name',
      'last_name',
      'email',
      'company',
      'status',
      'lead_source',
      'rating',
      'lead_score',
      'industry',
      'country',
      'last_activity_date',
      'next_activity_date',
      'converted_at',
      'converted_account_id',
      'converted_contact_id',
      'converted_opportunity_id',
    ])}
    ${searchIndex('crm.lead', 'lead', ['name', 'email', 'company', 'phone', 'mobile_phone', 'title'])}
    ${maintainedTotals('crm.lead', {
      by: ['status', 'lead_source', 'rating'],
      measures: { lead_score: 'lead_score', with_lead_score: '(lead_score is not null)::int' },
    })}
  `,
}

export const leadAddresses: Migration = {
  name: '20261123-crm-lead-addresses',
  sql: `
    -- Finds the leads to whom a mail was sent.
    create index lead_address on crm.lead (organization_id, lower(email), created_at, id) where deleted_at is null;
  `,
}

/** An address that a mail was sent to is also found where it was entered with spaces around it. */
export const leadAddressForm: Migration = {
  name: '20261201-crm-lead-address-form',
  sql: `${emailIndex('crm.lead', 'lead', 'email')}
    drop index crm.lead_address;`,
}
