import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../config/config.ts'

// Keeps a reference to each open lock, because the garbage collector would otherwise close its handle and release the lock.
const openLocks = new Set<DatabaseSync>()

const sqliteBusy = 5

/** Another process holds the lock of the data folder. */
export class DataFolderInUse extends ConfigError {}

function pidIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}

/** Creates a file that only this user can read, because any reader could block the lock. An existing file is not opened, because closing it would release the lock. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Locks the data folder for one process. The lock is an SQLite lock on an empty file: the operating system releases it however
 * the process ends, it works across containers that share a volume, and it does not depend on a pid.
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
      throw new DataFolderInUse(
        `DATA_DIR: another process (pid ${pidIn(ownerPath)}) already uses the data folder ${dataDir}.`,
      )
    }
    throw new ConfigError(`DATA_DIR: ${path} cannot be written (${(error as Error).message}).`, { cause: error })
  }
  openLocks.add(database)
  return {
    release: () => {
      if (openLocks.delete(database)) database.close()
    },
  }
}
