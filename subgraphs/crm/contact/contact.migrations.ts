import type { Migration } from '../../kernel/database/migrate.ts'
import {
  emailIndex,
  emailsIndex,
  listIndexes,
  maintainedTotals,
  recordColumns,
  searchIndex,
} from '../../kernel/record/record-table.ts'

export const contactTable: Migration = {
  name: '20261122-crm-contact',
  sql: `
    create table crm.contact (${recordColumns},
      name text,
      salutation text,
      first_name text,
      last_name text not null,
      email text,
      normalized_email text,
      secondary_emails text[] not null default '{}',
      email_status text not null,
      phone text,
      mobile_phone text,
      title text,
      department text,
      seniority text,
      account_id uuid,
      reports_to_id uuid,
      buying_role text,
      is_primary boolean not null default false,
      lead_source text,
      lifecycle_stage text,
      mailing_street text,
      mailing_city text,
      mailing_state text,
      mailing_postal_code text,
      mailing_country text,
      linkedin_url text,
      timezone text,
      language text,
      do_not_call boolean not null default false,
      email_opt_out boolean not null default false,
      consent jsonb,
      engagement_score double precision,
      last_activity_date timestamptz(3),
      next_activity_date timestamptz(3),
      last_contacted_at timestamptz(3),
      converted_from_lead_id uuid,
      status text not null
    );
    ${listIndexes('crm.contact', 'contact', [
      'name',
      'last_name',
      'email',
      'email_status',
      'seniority',
      'account_id',
      'reports_to_id',
      'buying_role',
      'is_primary',
      'lead_source',
      'lifecycle_stage',
      'mailing_city',
      'mailing_country',
      'engagement_score',
      'last_activity_date',
      'next_activity_date',
      'last_contacted_at',
      'converted_from_lead_id',
      'status',
    ])}
    create index contact_normalized_email on crm.contact (organization_id, normalized_email, created_at, id) where deleted_at is null;
    create index contact_primary on crm.contact (organization_id, account_id) where is_primary and deleted_at is null;
    ${searchIndex('crm.contact', 'contact', ['name', 'email', 'phone', 'mobile_phone', 'title', 'department'])}
    ${maintainedTotals('crm.contact', {
      by: ['status', 'email_status', 'lifecycle_stage', 'lead_source'],
      measures: {
        opted_out: 'email_opt_out::int',
        not_to_call: 'do_not_call::int',
        without_account: '(account_id is null)::int',
      },
    })}
  `,
}

/** Contacts that have unsubscribed also say that they want no marketing emails. */
export const contactOptOuts: Migration = {
  name: '20261128-crm-contact-opt-outs',
  sql: `
    update crm.contact set email_opt_out = true, version = version + 1, updated_at = date_trunc('milliseconds', now())
      where email_status = 'UNSUBSCRIBED' and not email_opt_out;
  `,
}

export const contactAddresses: Migration = {
  name: '20261201-crm-contact-addresses',
  sql: emailIndex('crm.contact', 'contact', 'email'),
}

export const contactFurtherAddresses: Migration = {
  name: '20261205-crm-contact-further-addresses',
  sql: emailsIndex('crm.contact', 'contact', 'secondary_emails'),
}
