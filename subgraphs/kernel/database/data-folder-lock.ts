import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../config.ts'

// A database handle that is collected as garbage gives its lock away.
const held = new Set<DatabaseSync>()

const sqliteBusy = 5

/** Another process serves the database of the data folder. */
export class DataFolderServed extends ConfigError {}

function pidIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}

/** Readable for us alone, since a reader could hold up the lock. Opened only to create: closing a file drops its locks. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Only one process at a time holds the database of a data folder. The lock is SQLite's on an empty file: the operating
 * system releases it however the process ends, it counts across containers that share a volume, and no pid is trusted.
 */
export function lockDataFolder(dataDir: string): { release(): void } {
  const ownerPath = join(dataDir, 'postgres.owner')
  const path = join(dataDir, 'postgres.lock')
  let database: DatabaseSync | undefined
  try {
    createPrivate(path)
    database = new DatabaseSync(path, { timeout: 0 })
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
    writeFileSync(ownerPath, `${process.pid}\n`)
  } catch (error) {
    database?.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) {
      throw new DataFolderServed(`Another process (pid ${pidIn(ownerPath)}) already serves the data folder ${dataDir}.`)
    }
    throw new ConfigError(`DATA_DIR: ${path} cannot be written (${(error as Error).message}).`, { cause: error })
  }
  held.add(database)
  return {
    release: () => {
      if (held.delete(database)) database.close()
    },
  }
}
