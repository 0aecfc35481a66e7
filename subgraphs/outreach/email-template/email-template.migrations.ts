import type { Migration } from '../../kernel/database/migrate.ts'
import {
  listIndexes,
  maintainedTotals,
  privateIndexes,
  recordColumns,
  searchIndex,
} from '../../kernel/record/record-table.ts'

export const emailTemplateTable: Migration = {
  name: '20261123-outreach-email-template',
  sql: `
    create table outreach.email_template (${recordColumns},
      name text not null,
      subject text not null,
      body_html text not null,
      body_text text,
      category text not null,
      status text not null,
      variables jsonb not null default '[]',
      language text,
      is_shared boolean not null default false
    );
    ${listIndexes('outreach.email_template', 'email_template', ['name', 'category', 'status', 'is_shared'])}
    ${searchIndex('outreach.email_template', 'email_template', ['name', 'subject'])}
  `,
}

/** Without it, a filter by a rare language reads all templates. */
export const emailTemplateLanguage: Migration = {
  name: '20261126-outreach-email-template-language',
  sql: `create index email_template_by_language on outreach.email_template (organization_id, language, created_at, id)
    where deleted_at is null;`,
}

/** Totals of the templates that a caller sees: the own ones and those that are shared. */
export const emailTemplateTotals: Migration = {
  name: '20261129-outreach-email-template-totals',
  sql: maintainedTotals('outreach.email_template', { by: ['owner_id', 'is_shared', 'status', 'category'] }),
}

export const emailTemplatePrivateIndexes: Migration = {
  name: '20261130-outreach-email-template-private-indexes',
  sql: privateIndexes('outreach.email_template', 'email_template', ['updated_at', 'language']),
}
