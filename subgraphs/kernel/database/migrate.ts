import pg from 'pg'
import type { Database } from './database.ts'
import { createExtensions } from './extensions.ts'
import { isRowLevelSecurityComplete, prepareTenantRole, enableRowLevelSecurity } from './row-level-security.ts'
import { databaseLocks } from './locks.ts'

/** One migration step, as SQL. Steps run once, in the order of the list. A step that has run anywhere must never be edited. */
export interface Migration {
  readonly name: string
  readonly sql: string
}

const undefinedTable = '42P01'

/** The names of the steps that have not run yet. */
export async function pendingMigrations(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  const ran = await database
    .query<{ name: string }>('select name from kernel.migration')
    .catch((error: { readonly code?: string }) => {
      if (error.code === undefinedTable) return []
      throw error
    })
  const done = new Set(ran.map(({ name }) => name))
  return migrations.map(({ name }) => name).filter((name) => !done.has(name))
}

/**
 * Runs all pending steps with MikroORM's migrator; false if there were none. Processes that start at the same time run one after the other.
 */
export async function migrate(database: Database, url: string, migrations: readonly Migration[]): Promise<boolean> {
  const isNewest = (await pendingMigrations(database, migrations)).length === 0
  if (isNewest && (await isRowLevelSecurityComplete(database))) return false
  // A separate connection: the pool may have only one, and its statement timeout is shorter than the possible wait for the lock.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // The advisory lock ends with its connection, and the migrator does not notice every broken connection.
  const broken = new Promise<never>((_, reject) => client.on('error', reject))
  const work = async (): Promise<void> => {
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [databaseLocks.migrations])
    await client.query('create schema if not exists kernel')
    await prepareTenantRole(database)
    await createExtensions(database)
    await runMigrator(url, migrations)
    await enableRowLevelSecurity(database)
  }
  try {
    await Promise.race([work(), broken])
  } finally {
    await client.end().catch(() => undefined)
  }
  return !isNewest
}

/** Imports the ORM only when there are pending steps, so that other starts stay fast. */
async function runMigrator(url: string, migrations: readonly Migration[]): Promise<void> {
  const [{ MikroORM }, { Migrator, Migration: Step }] = await Promise.all([
    import('@mikro-orm/postgresql'),
    import('@mikro-orm/migrations'),
  ])
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [],
    extensions: [Migrator],
    discovery: { warnWhenNoEntities: false },
    logger: () => undefined,
    migrations: {
      tableName: 'kernel.migration',
      snapshot: false,
      migrationsList: migrations.map(({ name, sql }) => ({
        name,
        class: class extends Step {
          override up(): void {
            this.addSql(sql)
          }
        },
      })),
    },
  })
  try {
    await orm.migrator.up()
  } finally {
    await orm.close()
  }
}
