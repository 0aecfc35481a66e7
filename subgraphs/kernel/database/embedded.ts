import { randomUUID } from 'node:crypto'
import { chmod, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { ConfigError } from '../config.ts'
import { prepareDataDir } from '../data-dir.ts'
import { tenantRole } from './tenant-role.ts'
import { lockDataFolder } from './data-folder-lock.ts'
import { run } from './embedded-account.ts'
import { findBinaries, type Binaries } from './embedded-binaries.ts'
import {
  clearSocketFolder,
  makePrivate,
  port,
  prepareFolder,
  prepareSocketFolder,
  type ServerFolder,
} from './embedded-folder.ts'
import { retireFormerServer, startServer, type RunningServer, type ServerCommand } from './embedded-server.ts'
import { supervised } from './embedded-supervisor.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  readonly log: Logger
  /** False: a crash of the machine may lose or break the data. For databases that are thrown away. */
  readonly durable?: boolean
  /** PostgreSQL settings beside or instead of ours. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface EmbeddedPostgres {
  /** Signs in as the owner of the database, who may create databases but is no superuser. */
  readonly url: string
  /** Why the server ended for good, after it was started again in vain. Never resolves otherwise. */
  readonly lost: Promise<ConfigError>
  stop(): Promise<void>
}

const role = 'crm'
const unfinished = 'new-'
const formerBackendsTimeoutMs = 15_000

const ownSettings = {
  listen_addresses: '',
  port: String(port),
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
  random_page_cost: '1.1',
  // Start and failure are read from the server's messages.
  lc_messages: 'C',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '',
  // A refused statement may carry what a customer wrote.
  log_min_error_statement: 'panic',
  // Details quote whole rows.
  log_error_verbosity: 'terse',
}

const notDurable = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

/** A cluster gets its name when it is complete, so a start that was killed here leaves only something to sweep. */
async function createCluster({ path, account }: ServerFolder, binaries: Binaries, durable: boolean): Promise<void> {
  for (const name of await readdir(path)) {
    // A killed start's initdb may still be writing there; what is left is swept by the next creation.
    if (name.startsWith(unfinished)) await rm(join(path, name), { recursive: true, force: true }).catch(() => {})
  }
  const data = await makePrivate(join(path, `${unfinished}${randomUUID()}`), account)
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8']
  const sync = durable ? [] : ['--no-sync']
  await run(account, binaries.initdb, [`--pgdata=${data}`, '--username=postgres', '--auth=reject', ...locale, ...sync])
  const statements =
    `CREATE ROLE ${role} LOGIN CREATEDB;\nCREATE DATABASE ${role} OWNER ${role};\n` +
    `CREATE ROLE ${tenantRole} NOLOGIN;\nGRANT ${tenantRole} TO ${role};\n`
  const fsync = `fsync=${durable ? 'on' : 'off'}`
  await run(
    account,
    binaries.postgres,
    ['--single', '-D', data, '-c', 'exit_on_error=on', '-c', fsync, 'postgres'],
    statements,
  )
  await rename(data, join(path, 'data'))
  if (durable) await flushFolder(path)
}

/** Only the system user of this process gets in, and the kernel says who is at the other end: there is no password. */
async function writeAccessRules(path: string): Promise<Record<string, string>> {
  const [hba_file, ident_file] = [join(path, 'pg_hba.conf'), join(path, 'pg_ident.conf')]
  const name = `"${userInfo().username}"`
  await writeFile(hba_file, `local all ${role},postgres peer map=server\n`)
  await writeFile(ident_file, `server ${name} ${role}\nserver ${name} postgres\n`)
  // For the server's account, whatever the umask.
  await Promise.all([hba_file, ident_file].map((file) => chmod(file, 0o644)))
  return { hba_file, ident_file }
}

/** The last backends of a server that was killed may outlive it for a moment, and the next server refuses to start. */
async function startPatiently(command: ServerCommand): Promise<RunningServer> {
  const deadline = Date.now() + formerBackendsTimeoutMs
  for (;;) {
    try {
      return await startServer(command)
    } catch (error) {
      const isBlocked = (error as Error).message.includes('pre-existing shared memory block')
      if (!isBlocked || Date.now() > deadline) throw error
      await delay(50)
    }
  }
}

export const addressAt = (socketFolder: string): string =>
  `postgres://${role}@${encodeURIComponent(socketFolder)}:${port}/${role}`

export async function checkAnswers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A server that ends in between tells by the query; without a listener the event would end the process.
  client.on('error', () => {})
  await client.connect()
  await client.query('SELECT 1').finally(() => client.end())
}

async function start({ dataDir, log, durable = true, settings = {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const folder = await prepareFolder(dataDir)
  const data = join(folder.path, 'data')
  const binaries = await findBinaries(folder.account)
  if (await exists(data)) await retireFormerServer(data, log)
  else await createCluster(folder, binaries, durable)
  const socketFolder = await prepareSocketFolder(folder)
  const url = addressAt(socketFolder)
  const command: ServerCommand = {
    ...folder,
    data,
    log,
    postgres: binaries.postgres,
    settings: {
      ...ownSettings,
      ...(durable ? {} : notDurable),
      ...settings,
      ...(await writeAccessRules(folder.path)),
      unix_socket_directories: socketFolder,
    },
  }
  const first = await answering(command, url)
  const startAgain = async (): Promise<RunningServer> => {
    // A cluster that is gone is not replaced by an empty one.
    if (!(await exists(join(data, 'PG_VERSION')))) throw new Error(`the database in ${data} is gone`)
    await retireFormerServer(data, log)
    await clearSocketFolder(socketFolder, folder.account)
    return answering(command, url)
  }
  const server = supervised(first, startAgain, log)
  return {
    url,
    lost: server.lost.then(
      (reason) =>
        new ConfigError(
          `DATA_DIR: PostgreSQL on ${folder.path} ended and does not start again (${complaintIn(reason as Error)}).`,
          { cause: reason },
        ),
    ),
    async stop() {
      await server.stop()
      await rm(socketFolder, { recursive: true, force: true })
    },
  }
}

/** A server that has answered once. */
async function answering(command: ServerCommand, url: string): Promise<RunningServer> {
  const server = await startPatiently(command)
  await checkAnswers(url).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  return server
}

/**
 * PostgreSQL on `<dataDir>/postgres`, reached by a Unix socket. It ends with `stop` or with this process, however that
 * ends, and the next start on the folder finds everything that was committed. A second start while this one lives is
 * refused with a ConfigError. A server that ends by itself is started again. `stop` may be called again.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir } = options
  if (process.platform === 'win32')
    throw new ConfigError('There is no embedded PostgreSQL on Windows. Set DATABASE_URL.')
  await prepareDataDir(dataDir)
  const lock = lockDataFolder(dataDir)
  try {
    const server = await start(options)
    let stopped: Promise<void> | undefined
    return { ...server, stop: () => (stopped ??= server.stop().finally(() => lock.release())) }
  } catch (error) {
    lock.release()
    if (error instanceof ConfigError) throw error
    const reason = complaintIn(error as Error)
    throw new ConfigError(`DATA_DIR: PostgreSQL does not start on ${join(dataDir, 'postgres')} (${reason}).`, {
      cause: error,
    })
  }
}

/** Of all that was printed the line that says what is wrong. */
function complaintIn({ message, stderr = '' }: Error & { readonly stderr?: string }): string {
  const said = `${stderr}\n${message}`.split('\n').filter(Boolean)
  return said.find((line) => /\b(FATAL|PANIC|error):/i.test(line)) ?? said[0]!
}
