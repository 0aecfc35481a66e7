import type { Database, TenantDatabase } from '../../subgraphs/kernel/database/database.ts'

// Loaded before the project (`node --import`): requests act as the owner of the tables, whom row-level security does not bind,
// and no statement is told whose rows it may touch. What this saves is what the wall between tenants costs.

type Classes = { Database: typeof Database; TenantDatabase: typeof TenantDatabase }
const compiled = new URL('../../dist/subgraphs/kernel/database/database.js', import.meta.url).href
const { Database: DatabaseClass, TenantDatabase: TenantDatabaseClass } = (await import(compiled)) as Classes

let whole: Database | null = null
TenantDatabaseClass.prototype.of = function () {
  return (whole ??= new DatabaseClass({ url: this.pool.options.connectionString! }))
}
