import type { Database } from '../../subgraphs/kernel/database/database.ts'
import type { CrossTenantDatabase, limitsOf, TenantDatabase } from '../../subgraphs/kernel/database/tenant-database.ts'

// Loaded before the project (`node --import`). Requests use the role that owns the tables, to which row-level security does not
// apply, and no statement sets the tenant. Connections and lookups are shared as before. The time that this saves is the cost of row-level security.

interface Classes {
  Database: typeof Database
  TenantDatabase: typeof TenantDatabase
  CrossTenantDatabase: typeof CrossTenantDatabase
  limitsOf: typeof limitsOf
}
const folder = new URL('../../dist/subgraphs/kernel/database/', import.meta.url).href
const compiled = await Promise.all([import(`${folder}database.js`), import(`${folder}tenant-database.js`)])
const classes = Object.assign({}, ...compiled) as Classes

let whole: CrossTenantDatabase | null = null
classes.TenantDatabase.prototype.of = function (...operation) {
  const { connectionString, max } = this.pool.options
  whole ??= new classes.CrossTenantDatabase(
    new classes.Database({ url: connectionString!, connectionsMax: max }),
    classes.limitsOf(max),
  )
  return whole.of(...operation)
}
