import { randomUUID } from 'node:crypto'
import { realpath, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { ConfigError } from '../config/config-error.ts'
import { prepareDataDir } from '../config/data-dir.ts'
import { clusterFolder, demoFile, keysFolder, readNote, type BackupNote } from './backup.ts'
import { copyFlushed, copyTree, flush } from './copy-tree.ts'
import { lockDataFolder } from './data-folder-lock.ts'
import { filesFolder } from '../file/file-place.ts'
import { isRoot, run } from './embedded-account.ts'
import { embeddedMajor } from './embedded-binaries.ts'
import { prepareFolder, unfinished } from './embedded-folder.ts'
import { refuseOtherMajor } from './embedded-major.ts'
import { startEmbeddedPostgres } from './embedded.ts'

export interface RestoreOptions {
  /** Must contain neither a database nor keys nor files, so that nothing is overwritten. */
  readonly dataDir: string
  /** A folder that `backUp` has written. */
  readonly source: string
  readonly log: Logger
}

/** Creates the data folder of a backup, and starts and stops its database once, so that a damaged backup is found at once. */
export async function restore({ dataDir, source, log }: RestoreOptions): Promise<BackupNote> {
  const folder = resolve(source)
  const note = await readNote(folder)
  refuseOtherMajor(`The backup ${folder}`, note.postgresql, embeddedMajor())
  await prepareDataDir(dataDir)
  const lock = lockDataFolder(dataDir)
  try {
    for (const taken of [join('postgres', 'data'), keysFolder, filesFolder]) {
      if (!(await stat(join(dataDir, taken)).catch(() => null))) continue
      throw new ConfigError(
        `DATA_DIR: ${join(dataDir, taken)} exists. Restore into a new folder, or move it away first.`,
      )
    }
    const { path, account } = await prepareFolder(dataDir)
    const copy = join(path, `${unfinished}${randomUUID()}`)
    await copyTree(join(folder, clusterFolder), copy)
    if (isRoot()) await run({}, 'chown', ['-R', `${account.uid}:${account.gid}`, copy])
    await copyTree(join(folder, keysFolder), join(dataDir, keysFolder))
    await copyFlushed(join(folder, demoFile), join(dataDir, demoFile))
    await copyTree(join(folder, filesFolder), join(dataDir, filesFolder))
    await rename(copy, join(path, 'data'))
    await flush(path)
  } finally {
    lock.release()
  }
  try {
    const server = await startEmbeddedPostgres({ dataDir, log })
    await server.stop()
  } catch (error) {
    // Nothing of a backup that cannot be used stays, so that another one can be restored.
    const written = [
      await realpath(join(dataDir, 'postgres', 'data')),
      join(dataDir, keysFolder),
      join(dataDir, filesFolder),
      join(dataDir, demoFile),
    ]
    for (const path of written) await rm(path, { recursive: true, force: true })
    throw error
  }
  return note
}
