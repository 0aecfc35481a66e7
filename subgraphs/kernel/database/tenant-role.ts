/** The PostgreSQL role of tenants' requests; see `tenant-wall.ts`. */
export const tenantRole = 'crm_app'
