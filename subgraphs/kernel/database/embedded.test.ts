import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isRoot, unprivilegedAccount, type Account } from './embedded-account.ts'
import { findBinaries } from './embedded-binaries.ts'
import { startServer } from './embedded-server.ts'
import { startEmbeddedPostgres } from './embedded.ts'

const log = pino({ level: 'silent' })
const module = new URL('./embedded.ts', import.meta.url).href

// Serves until its input ends, then stops; nothing but the server may keep it alive.
const program = `
  import { pino } from ${JSON.stringify(import.meta.resolve('pino'))}
  const { startEmbeddedPostgres } = await import(${JSON.stringify(module)})
  try {
    const options = { dataDir: process.argv[1], log: pino({ level: 'silent' }), durable: process.argv[2] === 'durable' }
    const server = await startEmbeddedPostgres(options)
    console.log(JSON.stringify({ url: server.url }))
    if (process.argv[3] !== 'forget') {
      for await (const chunk of process.stdin);
      await server.stop()
    }
  } catch (error) {
    console.log(JSON.stringify({ error: error.constructor.name + ': ' + error.message }))
  }
`

let parent: string
let dataDir: string
let children: ChildProcess[]

beforeEach(async () => {
  children = []
  parent = await mkdtemp('/tmp/embedded-')
  await chmod(parent, 0o755)
  dataDir = join(parent, 'data')
})

afterEach(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) await killed(child)
  }
  await vi.waitFor(() => rm(parent, { recursive: true, force: true }), { timeout: 5000 })
})

function spawnStart(folder: string, account: Account = {}, ...options: string[]) {
  const args = ['--input-type=module', '-e', program, folder, ...options]
  const child = spawn(process.execPath, args, { ...account, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  return child
}

async function startApart(folder: string, account: Account = {}, ...options: string[]) {
  const child = spawnStart(folder, account, ...options)
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, ...(JSON.parse(line) as { url: string; error?: string }) }
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function ended(child: ChildProcess): Promise<unknown> {
  const gone = once(child, 'exit')
  child.stdin?.end()
  return (await gone)[0]
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function ask(url: string, text: string): Promise<unknown> {
  const client = await connected(url)
  const { rows } = await client.query(text).finally(() => client.end())
  return rows[0]
}

const serverPid = async () => parseInt(await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10)
const serverIsGone = () =>
  vi.waitFor(() => expect(stat(join(dataDir, 'postgres/data/postmaster.pid'))).rejects.toThrow('ENOENT'), {
    timeout: 10_000,
    interval: 10,
  })

describe('startEmbeddedPostgres', () => {
  it('starts an empty folder, and the folder again, with what was written', async () => {
    const first = await startEmbeddedPostgres({ dataDir, log })
    await ask(first.url, 'CREATE TABLE kept AS SELECT 7 AS seven')
    expect(
      await ask(
        first.url,
        `SELECT datlocprovider, datlocale, pg_encoding_to_char(encoding) AS encoding, rolsuper, rolcreatedb,
           current_setting('timezone') AS timezone, current_setting('fsync') AS fsync,
           current_setting('synchronous_commit') AS synchronous_commit, current_setting('listen_addresses') AS addresses
         FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user`,
      ),
    ).toEqual({
      datlocprovider: 'b',
      datlocale: 'C.UTF-8',
      encoding: 'UTF8',
      rolsuper: false,
      rolcreatedb: true,
      timezone: 'UTC',
      fsync: 'on',
      synchronous_commit: 'on',
      addresses: '',
    })
    await first.stop()
    await first.stop()
    await expect(connected(first.url)).rejects.toThrow('ENOENT')

    const second = await startEmbeddedPostgres({ dataDir, log })
    expect(await ask(second.url, 'SELECT seven FROM kept')).toEqual({ seven: 7 })
    await second.stop()
  })

  it('takes settings, and trades durability for speed when asked', async () => {
    const server = await startEmbeddedPostgres({ dataDir, log, durable: false, settings: { max_connections: '33' } })
    expect(
      await ask(server.url, `SELECT current_setting('max_connections') AS max, current_setting('fsync') AS fsync`),
    ).toEqual({ max: '33', fsync: 'off' })
    await server.stop()
  })

  it('lets the process end after stop, and also when stop is forgotten, and then stops by itself', async () => {
    const stopping = await startApart(dataDir)
    expect(await ended(stopping.child)).toBe(0)
    await serverIsGone()
    const forgetful = spawnStart(dataDir, {}, 'fast', 'forget')
    expect(await once(forgetful, 'exit')).toEqual([0, null])
    await serverIsGone()
  })

  it('keeps what was committed when the process is killed, and starts again at once', async () => {
    const { child, url } = await startApart(dataDir, {}, 'durable')
    const client = await connected(url)
    await client.query('CREATE TABLE kept AS SELECT 1 AS one')
    await killed(child)

    const again = await startApart(dataDir)
    expect(again.error).toBeUndefined()
    expect(await ask(again.url, 'SELECT one FROM kept')).toEqual({ one: 1 })
    await killed(again.child)
    await serverIsGone()
  })

  it('keeps what was committed when process and server are killed in the middle of a query', async () => {
    const { child, url } = await startApart(dataDir, {}, 'durable')
    const client = await connected(url)
    await client.query('CREATE TABLE kept AS SELECT 2 AS two')
    const busy = client.query('SELECT count(*) FROM generate_series(1, 4000000)').catch(() => {})
    process.kill(await serverPid(), 'SIGKILL')
    await killed(child)

    const again = await startEmbeddedPostgres({ dataDir, log, durable: false })
    expect(await ask(again.url, 'SELECT two FROM kept')).toEqual({ two: 2 })
    await busy
    await again.stop()
  })

  it('replaces a server that nobody watches', async () => {
    await (await startEmbeddedPostgres({ dataDir, log, durable: false })).stop()
    const data = await realpath(join(dataDir, 'postgres/data'))
    const { uid, gid } = await stat(data)
    const account = isRoot() ? { uid, gid } : {}
    const { postgres } = await findBinaries(account)
    const settings = { listen_addresses: '', unix_socket_directories: data }
    await startServer({ postgres, data, account, log, settings })
    const orphan = await serverPid()

    const server = await startEmbeddedPostgres({ dataDir, log, durable: false })
    expect(await serverPid()).not.toBe(orphan)
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    expect(() => process.kill(orphan, 0)).toThrow('ESRCH')
    await server.stop()
  })

  it('starts when the pid of a killed server belongs to another process, which it leaves alone', async () => {
    const { child } = await startApart(dataDir)
    const path = join(dataDir, 'postgres/data/postmaster.pid')
    const { uid, gid } = await stat(path)
    const lines = (await readFile(path, 'utf8')).split('\n')
    await killed(child)
    await serverIsGone()
    const bystander = spawn('cat', { ...(isRoot() ? { uid, gid } : {}), cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] })
    children.push(bystander)
    await writeFile(path, [bystander.pid, ...lines.slice(1)].join('\n'), { mode: 0o600 })
    if (isRoot()) await chown(path, uid, gid)

    const server = await startEmbeddedPostgres({ dataDir, log, durable: false })
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    expect(bystander.signalCode).toBeNull()
    await server.stop()
  })

  it('refuses a second start on the folder and disturbs nothing', async () => {
    const { child, url } = await startApart(dataDir)
    const client = await connected(url)
    const refusal = `Another process (pid ${child.pid}) already serves the data folder ${dataDir}.`
    expect(await startApart(dataDir)).toMatchObject({ error: `ConfigError: ${refusal}` })
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(refusal)
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await client.end()
    expect(await ended(child)).toBe(0)

    const own = await startEmbeddedPostgres({ dataDir, log })
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(`(pid ${process.pid})`)
    expect(await startApart(dataDir)).toMatchObject({ error: expect.stringContaining(`(pid ${process.pid})`) })
    await own.stop()
  })

  it('begins anew when the first start was killed while it created the cluster', async () => {
    const child = spawnStart(dataDir)
    const folder = join(dataDir, 'postgres')
    const unfinished = () => readdir(folder).then((names) => names.filter((name) => name.startsWith('new-')))
    const [name] = await vi.waitFor(
      async () => {
        const names = await unfinished()
        await stat(join(folder, names[0]!, 'PG_VERSION'))
        return names
      },
      { timeout: 10_000, interval: 2 },
    )
    await killed(child)
    expect(await unfinished()).toEqual([name])

    const server = await startEmbeddedPostgres({ dataDir, log, durable: false })
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    await server.stop()
  })

  it('uses a short folder for the socket of a deep data folder, and removes it, also after a kill', async () => {
    dataDir = join(parent, 'deep-'.repeat(20), 'data')
    const socketFolder = ({ url }: { url: string }) => decodeURIComponent(new URL(url).hostname)
    const first = await startApart(dataDir)
    expect(socketFolder(first)).toMatch(/^\/tmp\/crm-postgres-\w{6}$/)
    expect(((await stat(socketFolder(first))).mode & 0o777).toString(8)).toBe('700')
    await killed(first.child)

    const second = await startEmbeddedPostgres({ dataDir, log, durable: false })
    expect(await ask(second.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    await expect(stat(socketFolder(first))).rejects.toThrow('ENOENT')
    await second.stop()
    await expect(stat(socketFolder(second))).rejects.toThrow('ENOENT')
  })

  it('says so when the data folder cannot be used', async () => {
    await writeFile(dataDir, 'a file where a folder belongs')
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(`DATA_DIR: ${dataDir} cannot be created`)
  })
})

describe.runIf(isRoot())('startEmbeddedPostgres as root', () => {
  it('runs the server as an account without privileges, in a folder that only that account reads', async () => {
    await mkdir(dataDir, { mode: 0o700 })
    const server = await startEmbeddedPostgres({ dataDir, log, durable: false })
    const data = await stat(join(dataDir, 'postgres/data'))
    expect({ uid: data.uid, mode: data.mode & 0o777 }).toEqual({ uid: (await unprivilegedAccount()).uid, mode: 0o700 })
    expect((await stat(`/proc/${await serverPid()}`)).uid).toBe(data.uid)
    expect((await stat(dataDir)).mode & 0o777).toBe(0o711)
    await server.stop()
  })

  it('keeps the database where the account can reach it when the data folder is closed off', async () => {
    await chmod(parent, 0o700)
    const server = await startEmbeddedPostgres({ dataDir, log, durable: false })
    await ask(server.url, 'CREATE TABLE kept AS SELECT 3 AS three')
    await server.stop()
    const elsewhere = await realpath(join(dataDir, 'postgres'))
    expect(elsewhere).toMatch(/^\/var\/lib\/crm-platform-api\/data-\w{6}$/)

    const again = await startEmbeddedPostgres({ dataDir, log, durable: false })
    expect(await ask(again.url, 'SELECT three FROM kept')).toEqual({ three: 3 })
    await again.stop()
    await rm(elsewhere, { recursive: true })
    await expect(startEmbeddedPostgres({ dataDir, log })).rejects.toThrow(
      `DATA_DIR: ${join(dataDir, 'postgres')} leads to a folder that is gone. Remove it to begin with an empty database.`,
    )
  })

  it('takes over a folder that was copied by root', async () => {
    await (await startEmbeddedPostgres({ dataDir, log, durable: false })).stop()
    const copy = join(parent, 'copy')
    spawnSync('cp', ['-r', dataDir, copy])
    const server = await startEmbeddedPostgres({ dataDir: copy, log, durable: false })
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    await server.stop()
  })

  const reads = spawnSync('node', ['-e', `import(${JSON.stringify(module)})`], { uid: 65534, gid: 65534, cwd: '/' })
  it.runIf(reads.status === 0)(
    'serves an ordinary user, and root then serves the same folder as that user',
    async () => {
      const account = await unprivilegedAccount()
      await chown(parent, account.uid!, account.gid!)
      const { child, url, error } = await startApart(dataDir, account)
      expect(error).toBeUndefined()
      await expect(connected(url)).rejects.toThrow('Peer authentication failed for user "crm"')
      expect(await ended(child)).toBe(0)

      const server = await startEmbeddedPostgres({ dataDir, log, durable: false })
      expect(await ask(server.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
      await server.stop()
    },
  )
})
