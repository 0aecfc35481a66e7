import { randomUUID } from 'node:crypto'
import { chmod, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { totalmem, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { ConfigError } from '../config/config.ts'
import { prepareDataDir } from '../config/data-dir.ts'
import { tenantRole } from './tenant-role.ts'
import { lockDataFolder } from './data-folder-lock.ts'
import { run } from './embedded-account.ts'
import { embeddedMajor, findBinaries, type Binaries } from './embedded-binaries.ts'
import {
  clearSocketFolder,
  makePrivate,
  port,
  prepareFolder,
  prepareSocketFolder,
  unfinished,
  type ServerFolder,
} from './embedded-folder.ts'
import { majorIn, refuseOtherMajor } from './embedded-major.ts'
import { retireFormerServer, startServer, type RunningServer, type ServerCommand } from './embedded-server.ts'
import { supervised } from './embedded-supervisor.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  readonly log: Logger
  /** False: a crash of the machine may lose or corrupt the data. Only for temporary databases. */
  readonly durable?: boolean
  /** PostgreSQL settings that are added to or override ours. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface EmbeddedPostgres {
  /** Connects as the owner of the database, who may create databases but is not a superuser. */
  readonly url: string
  /** Connects as a superuser, for backups. */
  readonly superuserUrl: string
  /** Resolves with the reason when the server has ended and all restarts have failed. Never resolves otherwise. */
  readonly lost: Promise<ConfigError>
  stop(): Promise<void>
}

const role = 'crm'
const formerBackendsTimeoutMs = 15_000

/** The memory of the machine, or of the container that this process runs in. */
const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
/** An eighth of the memory, at least PostgreSQL's default and at most 2 GB. PostgreSQL takes it only as far as it needs it. */
const sharedBuffersMb = Math.min(2048, Math.max(128, Math.floor(memory / 8 / 2 ** 20)))

const ownSettings = {
  listen_addresses: '',
  port: String(port),
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: `${sharedBuffersMb}MB`,
  // The system keeps about as much again in its own cache.
  effective_cache_size: `${Math.max(1024, sharedBuffersMb * 4)}MB`,
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
  random_page_cost: '1.1',
  // This process parses the server's messages to detect start and failure.
  lc_messages: 'C',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '',
  // A refused statement may contain customer data.
  log_min_error_statement: 'panic',
  // Details of errors quote whole rows.
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

/** Creates the cluster under a temporary name and renames it when it is complete. A killed start leaves only a folder to delete. */
async function createCluster({ path, account }: ServerFolder, binaries: Binaries, durable: boolean): Promise<void> {
  for (const name of await readdir(path)) {
    // initdb of a killed start may still write there; the next creation deletes the rest.
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

/** Peer authentication: only the system user of this process may connect, verified by the operating system without a password. */
async function writeAccessRules(path: string): Promise<Record<string, string>> {
  const [hba_file, ident_file] = [join(path, 'pg_hba.conf'), join(path, 'pg_ident.conf')]
  const name = `"${userInfo().username}"`
  await writeFile(hba_file, `local all ${role},postgres peer map=server\n`)
  await writeFile(ident_file, `server ${name} ${role}\nserver ${name} postgres\n`)
  // The server's account must be able to read them, with any umask.
  await Promise.all([hba_file, ident_file].map((file) => chmod(file, 0o644)))
  return { hba_file, ident_file }
}

/** Retries while backends of a killed server are still alive, because the next server refuses to start until they end. */
async function startWithRetry(command: ServerCommand): Promise<RunningServer> {
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

export const addressAt = (socketFolder: string, user: typeof role | 'postgres' = role): string =>
  `postgres://${user}@${encodeURIComponent(socketFolder)}:${port}/${user}`

export async function checkAnswers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // If the server ends in between, the query rejects; without a listener, the error event would end the process.
  client.on('error', () => {})
  await client.connect()
  await client.query('SELECT 1').finally(() => client.end())
}

async function start({ dataDir, log, durable = true, settings = {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const folder = await prepareFolder(dataDir)
  const data = join(folder.path, 'data')
  const binaries = await findBinaries(folder.account)
  if (await exists(join(data, 'PG_VERSION')))
    refuseOtherMajor(`DATA_DIR: the database in ${dataDir}`, await majorIn(data), embeddedMajor())
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
  const first = await startChecked(command, url)
  const startAgain = async (): Promise<RunningServer> => {
    // A deleted cluster must not be replaced by an empty one.
    if (!(await exists(join(data, 'PG_VERSION')))) throw new Error(`the database folder ${data} no longer exists`)
    await retireFormerServer(data, log)
    await clearSocketFolder(socketFolder, folder.account)
    return startChecked(command, url)
  }
  const server = supervised(first, startAgain, log)
  return {
    url,
    superuserUrl: addressAt(socketFolder, 'postgres'),
    lost: server.lost.then(
      (reason) =>
        new ConfigError(
          `DATA_DIR: PostgreSQL on ${folder.path} ended and cannot be restarted (${errorLineOf(reason as Error)}).`,
          { cause: reason },
        ),
    ),
    async stop() {
      await server.stop()
      await rm(socketFolder, { recursive: true, force: true })
    },
  }
}

/** Starts the server and checks that it answers a query. */
async function startChecked(command: ServerCommand, url: string): Promise<RunningServer> {
  const server = await startWithRetry(command)
  await checkAnswers(url).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  return server
}

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, reached by a Unix socket. It stops with `stop` or with this process, however the
 * process ends, and the next start on the folder finds everything that was committed. A second start on the folder while this
 * one runs throws a ConfigError. A server that ends unexpectedly is restarted. `stop` may be called more than once.
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
    const reason = errorLineOf(error as Error)
    throw new ConfigError(`DATA_DIR: PostgreSQL cannot start on ${join(dataDir, 'postgres')} (${reason}).`, {
      cause: error,
    })
  }
}

/** The line of the output that names the error. */
function errorLineOf({ message, stderr = '' }: Error & { readonly stderr?: string }): string {
  const output = `${stderr}\n${message}`.split('\n').filter(Boolean)
  return output.find((line) => /\b(FATAL|PANIC|error):/i.test(line)) ?? output[0]!
}
