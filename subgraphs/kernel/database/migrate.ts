import pg from 'pg'
import type { Database } from './database.ts'
import { isTenantWallWhole, prepareTenantRole, raiseTenantWall } from './tenant-wall.ts'

/** One step of the schema, as SQL. Steps run in the order of the list, once; a step that has run is never edited. */
export interface Migration {
  readonly name: string
  readonly sql: string
}

const lockKey = 7_211_121
const undefinedTable = '42P01'

/** Names of the steps that have not run. */
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

/** Brings the database to the newest step with MikroORM's migrator; processes that start together take turns. */
export async function migrate(database: Database, url: string, migrations: readonly Migration[]): Promise<void> {
  const isNewest = (await pendingMigrations(database, migrations)).length === 0
  if (isNewest && (await isTenantWallWhole(database))) return
  // A connection of its own: the pool may be down to one, and its statements have a deadline that a turn may exceed.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // The turn ends with its connection, and the migrator does not notice every connection that breaks.
  const broken = new Promise<never>((_, reject) => client.on('error', reject))
  const work = async (): Promise<void> => {
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await client.query('create schema if not exists kernel')
    await prepareTenantRole(database)
    await runMigrator(url, migrations)
    await raiseTenantWall(database)
  }
  try {
    await Promise.race([work(), broken])
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The ORM is loaded only when there is something to do: a warm start does not pay for it. */
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
