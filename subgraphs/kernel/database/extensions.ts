import { ConfigError } from '../config/config-error.ts'
import type { Sql } from './sql.ts'

/** `pg_trgm` indexes text by its trigrams. `btree_gin` lets such an index begin with the organization. Both belong to PostgreSQL's own distribution. */
const needed = ['pg_trgm', 'btree_gin']

/** Creates the extensions that the migrations use. Refuses to start with what an administrator must do when it cannot. */
export async function createExtensions(sql: Sql, names: readonly string[] = needed): Promise<void> {
  const missing = await sql.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where not exists (select from pg_extension where extname = name)',
    [names],
  )
  for (const { name } of missing) {
    try {
      await sql.query(`create extension if not exists ${name}`)
    } catch (error) {
      throw new ConfigError(
        `The database must have the extension ${name}, and the user of DATABASE_URL may not create it or the server does not have it ` +
          `(${(error as Error).message}). Install PostgreSQL's contrib package, and run as an administrator in this database: CREATE EXTENSION ${name};`,
      )
    }
  }
}
