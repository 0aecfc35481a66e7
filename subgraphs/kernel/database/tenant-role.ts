/** What requests of tenants act as in PostgreSQL; see `tenant-wall.ts`. */
export const tenantRole = 'crm_app'
