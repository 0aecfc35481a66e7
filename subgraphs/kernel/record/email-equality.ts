// Two email addresses are equal without regard to upper and lower case and to spaces around them: in filters, where PostgreSQL compares them, and in
// conditions, which are evaluated here.

/** The form in which conditions compare email addresses. */
export const comparedEmail = (address: string): string => address.replaceAll(/^ +| +$/g, '').toLowerCase()

/** The form in which filters compare email addresses. Columns that are not canonical have an index on this expression. */
export const comparedEmailSql = (sql: string): string => `lower(btrim(${sql}))`

/** The same for each item of a list, with a function that an index can contain. */
export const comparedEmailsSql = (sql: string): string => `kernel.compared_emails(${sql})`
