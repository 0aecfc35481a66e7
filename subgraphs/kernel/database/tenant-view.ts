/**
 * The name of the view with the rows of one tenant: `crm.account` is `tenant.crm_account`. It shows the rows of the organization in the
 * setting `app.organization_id`, and no rows without the setting, as the policy of the table does.
 */
export const tenantView = (table: string): string => `tenant.${table.replaceAll('"', '').replace('.', '_')}`
