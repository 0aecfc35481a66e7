import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, readdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { ConfigError } from '../config/config-error.ts'
import { isRoot } from './embedded-account.ts'
import { findBinaries } from './embedded-binaries.ts'
import { startServer } from './embedded-server.ts'
import {
  ask,
  connected,
  ended,
  killed,
  log,
  place,
  serverIsGone,
  serverPid,
  spawnStart,
  startApart,
  useFreshPlace,
} from './embedded.fixture.ts'
import { startEmbeddedPostgres } from './embedded.ts'

describe('startEmbeddedPostgres', () => {
  useFreshPlace()

  it('reports an error when its folder was deleted, and does not create an empty database instead', async () => {
    const server = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    const path = join(place.dataDir, 'postgres')
    const pid = await serverPid()
    await rename(join(path, 'data'), join(path, 'elsewhere'))
    process.kill(pid, 'SIGKILL')
    expect((await server.lost).message).toBe(
      `DATA_DIR: PostgreSQL on ${path} ended and cannot be restarted (the database folder ${path}/data no longer exists).`,
    )
    await server.stop()
    await rename(join(path, 'elsewhere'), join(path, 'data'))
    const again = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    expect(await ask(again.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    await again.stop()
  })

  it('starts on an empty folder, and again on the same folder with all data', async () => {
    const first = await startEmbeddedPostgres({ dataDir: place.dataDir, log })
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

    const second = await startEmbeddedPostgres({ dataDir: place.dataDir, log })
    expect(await ask(second.url, 'SELECT seven FROM kept')).toEqual({ seven: 7 })
    await second.stop()
  })

  it('applies settings, and can trade durability for speed', async () => {
    const server = await startEmbeddedPostgres({
      dataDir: place.dataDir,
      log,
      durable: false,
      settings: { max_connections: '33' },
    })
    expect(
      await ask(server.url, `SELECT current_setting('max_connections') AS max, current_setting('fsync') AS fsync`),
    ).toEqual({ max: '33', fsync: 'off' })
    await server.stop()
  })

  it('lets the process end after stop, and stops when the process ends without stop', async () => {
    const stopping = await startApart(place.dataDir)
    expect(await ended(stopping.child)).toBe(0)
    await serverIsGone()
    const forgetful = spawnStart(place.dataDir, {}, 'fast', 'forget')
    expect(await once(forgetful, 'exit')).toEqual([0, null])
    await serverIsGone()
  })

  it('keeps committed data when the process is killed, and starts again at once', async () => {
    const { child, url } = await startApart(place.dataDir, {}, 'durable')
    const client = await connected(url)
    await client.query('CREATE TABLE kept AS SELECT 1 AS one')
    await killed(child)

    const again = await startApart(place.dataDir)
    expect(again.error).toBeUndefined()
    expect(await ask(again.url, 'SELECT one FROM kept')).toEqual({ one: 1 })
    await killed(again.child)
    await serverIsGone()
  })

  it('keeps committed data when process and server are killed during a query', async () => {
    const { child, url } = await startApart(place.dataDir, {}, 'durable')
    const client = await connected(url)
    await client.query('CREATE TABLE kept AS SELECT 2 AS two')
    const busy = client.query('SELECT count(*) FROM generate_series(1, 4000000)').catch(() => {})
    process.kill(await serverPid(), 'SIGKILL')
    await killed(child)

    const again = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    expect(await ask(again.url, 'SELECT two FROM kept')).toEqual({ two: 2 })
    await busy
    await again.stop()
  })

  it('replaces a server that no process supervises', async () => {
    await (await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })).stop()
    const data = await realpath(join(place.dataDir, 'postgres/data'))
    const { uid, gid } = await stat(data)
    const account = isRoot() ? { uid, gid } : {}
    const { postgres } = await findBinaries(account)
    const settings = { listen_addresses: '', unix_socket_directories: data }
    await startServer({ postgres, data, account, log, settings })
    const orphan = await serverPid()

    const server = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    expect(await serverPid()).not.toBe(orphan)
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    expect(() => process.kill(orphan, 0)).toThrow('ESRCH')
    await server.stop()
  })

  it('starts when the pid of a killed server belongs to another process, and does not touch that process', async () => {
    const { child } = await startApart(place.dataDir)
    const path = join(place.dataDir, 'postgres/data/postmaster.pid')
    const { uid, gid } = await stat(path)
    const lines = (await readFile(path, 'utf8')).split('\n')
    await killed(child)
    await serverIsGone()
    const bystander = spawn('cat', { ...(isRoot() ? { uid, gid } : {}), cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] })
    place.children.push(bystander)
    await writeFile(path, [bystander.pid, ...lines.slice(1)].join('\n'), { mode: 0o600 })
    if (isRoot()) await chown(path, uid, gid)

    const server = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    expect(bystander.signalCode).toBeNull()
    await server.stop()
  })

  it('refuses a second start on the folder, and the first server continues', async () => {
    const { child, url } = await startApart(place.dataDir)
    const client = await connected(url)
    const refusal = `DATA_DIR: another process (pid ${child.pid}) already uses the data folder ${place.dataDir}.`
    expect(await startApart(place.dataDir)).toMatchObject({ error: `DataFolderInUse: ${refusal}` })
    await expect(startEmbeddedPostgres({ dataDir: place.dataDir, log })).rejects.toThrow(refusal)
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await client.end()
    expect(await ended(child)).toBe(0)

    const own = await startEmbeddedPostgres({ dataDir: place.dataDir, log })
    await expect(startEmbeddedPostgres({ dataDir: place.dataDir, log })).rejects.toThrow(`(pid ${process.pid})`)
    expect(await startApart(place.dataDir)).toMatchObject({ error: expect.stringContaining(`(pid ${process.pid})`) })
    await own.stop()
  })

  it('creates a new cluster when the first start was killed while it created one', async () => {
    const child = spawnStart(place.dataDir)
    const folder = join(place.dataDir, 'postgres')
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

    const server = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    await server.stop()
  })

  it('uses a short folder for the socket of a deep data folder, and removes it, also after a kill', async () => {
    place.dataDir = join(place.parent, 'deep-'.repeat(20), 'data')
    const socketFolder = ({ url }: { url: string }) => decodeURIComponent(new URL(url).hostname)
    const first = await startApart(place.dataDir)
    expect(socketFolder(first)).toMatch(/^\/tmp\/crm-postgres-\w{6}$/)
    expect(((await stat(socketFolder(first))).mode & 0o777).toString(8)).toBe('700')
    await killed(first.child)

    const second = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    expect(await ask(second.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    await expect(stat(socketFolder(first))).rejects.toThrow('ENOENT')
    await second.stop()
    await expect(stat(socketFolder(second))).rejects.toThrow('ENOENT')
  })

  it('names the data folder when it cannot be used', async () => {
    await writeFile(place.dataDir, 'a file where a folder belongs')
    await expect(startEmbeddedPostgres({ dataDir: place.dataDir, log })).rejects.toThrow(
      `DATA_DIR: ${place.dataDir} cannot be created`,
    )
  })

  it('reports the reason in one line when the server cannot start', async () => {
    const first = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    await first.stop()
    await writeFile(join(place.dataDir, 'postgres/data/postgresql.conf'), 'shared_buffers = none\n')
    const start = startEmbeddedPostgres({ dataDir: place.dataDir, log })
    await expect(start).rejects.toThrow(ConfigError)
    await expect(start).rejects.toThrow(
      /^DATA_DIR: PostgreSQL cannot start on \/.+\/postgres \((?:FATAL|LOG): [^\n]+\)\.$/,
    )
  })

  it('refuses files of another major version, and says where the way to upgrade is described', async () => {
    const first = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    await first.stop()
    await writeFile(join(place.dataDir, 'postgres/data/PG_VERSION'), '14\n')
    const start = startEmbeddedPostgres({ dataDir: place.dataDir, log })
    await expect(start).rejects.toThrow(ConfigError)
    const versions = 'is of PostgreSQL 14, and this release runs PostgreSQL 18'
    const advice = `DATA_DIR: the database in ${place.dataDir} ${versions}. See "Upgrading" in gateway/pages/guides/backups-and-upgrades.md.`
    await expect(start).rejects.toThrow(advice)
  })
})
