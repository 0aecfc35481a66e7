import {
  chmod,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../config/config.ts'
import { isRoot, run, succeedsAs, unprivilegedAccount, type Account } from './embedded-account.ts'
import { makeSharedFolder, sharedFolder } from './embedded-binaries.ts'

export interface ServerFolder {
  /** Holds the cluster (`data`), its access rules and, if the path is short enough, its socket. */
  readonly path: string
  readonly account: Account
}

export const port = 5432

// sun_path ends at 104 bytes on macOS and at 108 on Linux, the closing zero included.
const socketPathBytesMax = 103

const orMissing = <T>(found: Promise<T>): Promise<T | null> =>
  found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

const canEnter = (account: Account, folder: string) => succeedsAs(account, 'cd "$0"', folder)

/** Lets the account pass through the data folder without listing it; the files in it have their own permissions. */
async function openPath(account: Account, dataDir: string): Promise<boolean> {
  if (await canEnter(account, dataDir)) return true
  if (!(await canEnter(account, dirname(dataDir)))) return false
  await chmod(dataDir, (await stat(dataDir)).mode | 0o111)
  return canEnter(account, dataDir)
}

async function createFor(account: Account, link: string): Promise<void> {
  if (await openPath(account, dirname(link))) {
    await mkdir(link)
    return chmod(link, 0o711)
  }
  try {
    await makeSharedFolder()
    const elsewhere = await mkdtemp(join(sharedFolder, 'data-'))
    await chmod(elsewhere, 0o711)
    await symlink(elsewhere, link)
  } catch (cause) {
    const reason = `PostgreSQL runs as the account with uid ${account.uid}, which cannot reach ${dirname(link)}`
    throw new ConfigError(`DATA_DIR: ${reason}, and ${sharedFolder} cannot be used. Choose another DATA_DIR.`, {
      cause,
    })
  }
}

async function folderForRoot(link: string): Promise<ServerFolder> {
  const owner = await orMissing(stat(join(link, 'data')))
  const account = owner?.uid ? { uid: owner.uid, gid: owner.gid } : await unprivilegedAccount()
  if (!(await orMissing(stat(link)))) await createFor(account, link)
  const path = await realpath(link)
  if (!(await openPath(account, dirname(path))) || !(await canEnter(account, path))) {
    throw new ConfigError(
      `DATA_DIR: ${path} cannot be reached by the account (uid ${account.uid}) that owns its database.`,
    )
  }
  // A folder that root has copied or unpacked belongs to root entirely.
  if (owner?.uid === 0) await run({}, 'chown', ['-Rh', `${account.uid}:${account.gid}`, join(path, 'data')])
  return { path, account }
}

async function folderForUser(link: string): Promise<ServerFolder> {
  await mkdir(link, { recursive: true, mode: 0o700 })
  const path = await realpath(link)
  const owner = await orMissing(stat(join(path, 'data')))
  if (owner && owner.uid !== process.getuid?.()) {
    throw new ConfigError(`DATA_DIR: the database in ${path} belongs to another user (uid ${owner.uid}).`)
  }
  return { path, account: {} }
}

/**
 * Prepares `<dataDir>/postgres` and chooses the account of the server. When this process runs as root, that is an unprivileged
 * account; if the account cannot reach the data folder, `postgres` becomes a link to a folder that it can reach.
 */
export async function prepareFolder(dataDir: string): Promise<ServerFolder> {
  const link = join(dataDir, 'postgres')
  if ((await orMissing(lstat(link)))?.isSymbolicLink() && !(await orMissing(stat(link)))) {
    throw new ConfigError(
      `DATA_DIR: ${link} links to a folder that does not exist. Remove the link to start with an empty database.`,
    )
  }
  return isRoot() ? folderForRoot(link) : folderForUser(link)
}

/** Prefix of a cluster that is being created or restored; the next creation deletes what a killed one has left. */
export const unfinished = 'new-'

const socketRecord = 'socket-folder'
const socketInside = 'socket'

/** The socket folder of the server that runs on the data folder; null before it is chosen. */
export async function socketFolderOf(dataDir: string): Promise<string | null> {
  const path = await orMissing(realpath(join(dataDir, 'postgres')))
  if (path === null) return null
  return (await orMissing(readFile(join(path, socketRecord), 'utf8'))) ?? join(path, socketInside)
}

/** Creates a folder that only the server's account can enter. */
export async function makePrivate(folder: string, { uid, gid }: Account): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (uid !== undefined && gid !== undefined) await lchown(folder, uid, gid)
  return folder
}

/** Removes the files that a killed server left in the socket folder. The folder itself stays, because clients use its path. */
export async function clearSocketFolder(folder: string, account: Account): Promise<void> {
  await makePrivate(folder, account)
  for (const name of await readdir(folder)) await rm(join(folder, name), { force: true })
}

/** Creates the socket folder. A path that is too long or needs quoting is replaced by a short one in /tmp, which is recorded for removal. */
export async function prepareSocketFolder({ path, account }: ServerFolder): Promise<string> {
  const record = join(path, socketRecord)
  const former = await orMissing(readFile(record, 'utf8'))
  if (former) await rm(former, { recursive: true, force: true })
  await rm(record, { force: true })
  // A killed server leaves its socket and a lock file. By the next start, the pid in the lock file may belong to another process.
  const inside = join(path, socketInside)
  await rm(inside, { recursive: true, force: true })
  if (/^[\w/.-]+$/.test(inside) && `${inside}/.s.PGSQL.${port}`.length <= socketPathBytesMax) {
    return makePrivate(inside, account)
  }
  // Not os.tmpdir(): TMPDIR may be long too, or inaccessible to the server's account.
  const short = await mkdtemp('/tmp/crm-postgres-')
  await writeFile(record, short)
  return makePrivate(short, account)
}
