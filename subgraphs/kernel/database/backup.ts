import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import pg from 'pg'
import type { Logger } from 'pino'
import { ConfigError } from '../config/config-error.ts'
import { releaseVersion } from '../config/paths.ts'
import { copyFlushed, copyTree, flush } from './copy-tree.ts'
import { filesFolder } from '../file/file-place.ts'
import { joinEmbeddedPostgres } from './embedded-join.ts'
import { majorIn } from './embedded-major.ts'

/** What a backup says about itself. */
export interface BackupNote {
  readonly release: string
  /** Only this major version of PostgreSQL can read the backup. */
  readonly postgresql: string
  readonly createdAt: string
}

export const noteFile = 'backup.json'
export const clusterFolder = 'postgres'
/** The other content of the data folder that is state: without its keys, secrets in the database cannot be read. */
export const keysFolder = 'keys'
export const demoFile = 'demo.json'

/** Files that belong to the running server, or that PostgreSQL creates anew. */
const leftOut =
  /^(postmaster\.(pid|opts)|(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/.*|(.*\/)?(pgsql_tmp.*|pg_internal\.init.*))$/

const statementOf = async <R>(client: pg.Client, text: string, values: unknown[] = []): Promise<R> =>
  (await client.query(text, values)).rows[0] as R

const walSegment = /^[0-9A-F]{24}$/

/** The server's files as of one moment, and the write-ahead log that makes them consistent. */
async function copyCluster(client: pg.Client, data: string, to: string): Promise<void> {
  // A temporary slot keeps the log from being recycled before it is copied.
  await client.query('select pg_create_physical_replication_slot($1, true, true)', [`backup_${process.pid}`])
  const { first } = await statementOf<{ first: string }>(
    client,
    `select pg_walfile_name(pg_backup_start('backup', true)) as first`,
  )
  await copyTree(data, to, (path) => !leftOut.test(path))
  const { label, last } = await statementOf<{ label: string; last: string }>(
    client,
    'select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)',
  )
  await writeFile(join(to, 'backup_label'), label, { mode: 0o600, flush: true })
  const segments = (await readdir(join(data, 'pg_wal'))).filter(
    (name) => walSegment.test(name) && name >= first && name <= last,
  )
  for (const name of segments) await copyFlushed(join(data, 'pg_wal', name), join(to, 'pg_wal', name))
  await flush(join(to, 'pg_wal'))
}

export interface BackupOptions {
  readonly dataDir: string
  readonly target: string
  readonly log: Logger
}

/**
 * Copies the embedded database, the keys and the files to a new folder. It works while a server runs on the data folder, which continues to
 * answer, and without one. The copy contains everything that was committed before the call. An interrupted backup leaves only a
 * folder with the suffix `.partial`.
 */
export async function backUp({ dataDir, target, log }: BackupOptions): Promise<BackupNote> {
  const folder = resolve(target)
  if (await stat(folder).catch(() => null)) throw new ConfigError(`${folder} already exists: name a new folder.`)
  if (!(await stat(join(dataDir, 'postgres', 'data', 'PG_VERSION')).catch(() => null)))
    throw new ConfigError(`DATA_DIR: ${dataDir} contains no embedded database.`)
  const partial = `${folder}.partial`
  await mkdir(dirname(folder), { recursive: true })
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { mode: 0o700 })
  const server = await joinEmbeddedPostgres({ dataDir, log })
  const client = new pg.Client({ connectionString: server.superuserUrl })
  client.on('error', () => {})
  try {
    await client.connect()
    const data = await realpath(join(dataDir, 'postgres', 'data'))
    await copyCluster(client, data, join(partial, clusterFolder))
  } finally {
    await client.end().catch(() => {})
    await server.stop()
  }
  await copyTree(join(dataDir, keysFolder), join(partial, keysFolder))
  // After the database, because a file is older than the row that refers to it, and stays for a day after the row.
  await copyTree(join(dataDir, filesFolder), join(partial, filesFolder))
  await copyFlushed(join(dataDir, demoFile), join(partial, demoFile))
  const note: BackupNote = {
    release: releaseVersion,
    postgresql: await majorIn(join(partial, clusterFolder)),
    createdAt: new Date().toISOString(),
  }
  await writeFile(join(partial, noteFile), `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600, flush: true })
  await flush(partial)
  await rename(partial, folder)
  await flush(dirname(folder))
  return note
}

/** Throws a ConfigError when the folder is not a complete backup. */
export async function readNote(source: string): Promise<BackupNote> {
  try {
    return JSON.parse(await readFile(join(source, noteFile), 'utf8')) as BackupNote
  } catch (cause) {
    throw new ConfigError(`${source} must be a folder that \`backup\` has written: it has no readable ${noteFile}.`, {
      cause,
    })
  }
}
