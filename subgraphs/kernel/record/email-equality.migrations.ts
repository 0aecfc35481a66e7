import type { Migration } from '../database/migrate.ts'

/** `kernel.compared_emails`: the form of a list of email addresses (`email-equality.ts`), which an index can contain. */
export const emailFunctions: Migration = {
  name: '20261205-kernel-compared-emails',
  sql: `
    create function kernel.compared_emails(emails text[]) returns text[] language sql immutable strict parallel safe
      return array(select lower(btrim(item)) from unnest(emails) as item);`,
}
