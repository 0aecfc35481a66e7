/** The PostgreSQL role of tenants' requests; see `row-level-security.ts`. */
export const tenantRole = 'crm_app'
