import type { Database } from '../../subgraphs/kernel/database/database.ts'
import type { TenantDatabase } from '../../subgraphs/kernel/database/tenant-database.ts'

// Loaded before the project (`node --import`). Requests use the role that owns the tables, to which row-level security does not
// apply, and no statement sets the tenant. The time that this saves is the cost of row-level security.

type Classes = { Database: typeof Database; TenantDatabase: typeof TenantDatabase }
const folder = new URL('../../dist/subgraphs/kernel/database/', import.meta.url).href
const compiled = await Promise.all([import(`${folder}database.js`), import(`${folder}tenant-database.js`)])
const { Database: DatabaseClass, TenantDatabase: TenantDatabaseClass } = Object.assign({}, ...compiled) as Classes

let whole: Database | null = null
TenantDatabaseClass.prototype.of = function () {
  return (whole ??= new DatabaseClass({ url: this.pool.options.connectionString! }))
}
