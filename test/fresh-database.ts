import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { Database } from '../subgraphs/kernel/database/database.ts'
import { databaseUrl } from './database-url.ts'
import { refuseInvalidEvents } from './emitted-events.ts'

export interface FreshDatabase {
  readonly url: string
  readonly database: Database
  /** Fails if an event was emitted that the catalog does not describe. */
  drop(): Promise<void>
}

export interface FreshDatabaseOptions {
  /** The test writes events of types of its own, so they are not compared with the catalog. */
  readonly hasOwnEvents?: boolean
  /** Default: the migrated, empty one. */
  readonly template?: string
}

/** What tests copy: the migrated, empty database, and one with more, which the first test that needs it makes. */
const emptyTemplate = 'template_platform'

/**
 * Makes a template for all test files of the run, unless one of them has made it. `make` gets a new database and a folder that is kept as long as the
 * server; it must close its connections. Returns the folder.
 */
export async function templateOnce(
  template: string,
  make: (fresh: FreshDatabase, folder: string) => Promise<void>,
): Promise<string> {
  // A connection of its own, which no timeout ends: the lock belongs to it.
  const admin = new pg.Client({ connectionString: databaseUrl(inject('templateUrl'), 'crm') })
  await admin.connect()
  try {
    // Other files wait for the one that makes the template.
    await admin.query('select pg_advisory_lock(hashtext($1))', [template])
    const kept = join(inject('templateFolder'), template)
    const made = await admin.query('select 1 from pg_database where datname = $1', [template])
    if (made.rows.length > 0) return kept
    await mkdir(kept, { recursive: true })
    const fresh = await freshDatabase()
    await make(fresh, kept)
    await refuseInvalidEvents(fresh.database)
    await fresh.database.close()
    const name = new URL(fresh.url).pathname.slice(1)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    await admin.query(`alter database ${name} rename to ${template}`)
    return kept
  } finally {
    await admin.end()
  }
}

/**
 * Empties the tables to which tests wrote, which takes a tenth of the time of a new database. For tests that change no row of the
 * migrations and need no events in an order from the beginning.
 */
export async function emptyTables(database: Database): Promise<void> {
  const written = await database.query<{ name: string }>(
    `select sequencename::text::oid::regclass::text as name from pg_sequences
     where schemaname = 'test' and sequencename <> 'writes' and last_value is not null`,
  )
  if (written.length > 0) await database.query(`truncate ${written.map(({ name }) => name).join()} cascade`)
}

const admins = new Map<string, Database>()

/** Connections that create and drop databases. All files of a process share them, because to open one takes 40 ms. */
function adminOf(url: string): Database {
  const known = admins.get(url) ?? new Database({ url, connectionsMax: 4 })
  admins.set(url, known)
  return known
}

/** A new, migrated, empty database on the PostgreSQL of the test run. */
export async function freshDatabase({
  hasOwnEvents = false,
  template = emptyTemplate,
}: FreshDatabaseOptions = {}): Promise<FreshDatabase> {
  const templateUrl = inject('templateUrl')
  const name = `fresh_${randomUUID().replaceAll('-', '')}`
  const admin = adminOf(databaseUrl(templateUrl, 'crm'))
  // Copying the files takes half of the time of writing them to the log, which is the default.
  await admin.query(`create database ${name} template ${template} strategy file_copy`)
  const url = databaseUrl(templateUrl, name)
  // Parallel workers cost more than they save in tables as small as those of tests.
  const settings = { max_parallel_workers_per_gather: '0' }
  const database = new Database({ url, connectionsMax: 4 }, { settings })
  return {
    url,
    database,
    async drop() {
      try {
        if (!hasOwnEvents) await refuseInvalidEvents(database)
      } finally {
        await database.close()
        await admin.query(`drop database ${name} with (force)`)
      }
    },
  }
}
