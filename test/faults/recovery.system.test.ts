import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Demo } from '../../subgraphs/demo/demo-file.ts'
import { freshDatabase } from '../fresh-database.ts'
import { aProcess, type Process } from '../processes.ts'

/** Timeout of a test, because each test starts processes of the platform, some of them twice. */
const slowMs = 300_000
const patience = { timeout: 60_000, interval: 20 }

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-recovery-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  return folder
}

async function aServer(folder: string, environment: Readonly<Record<string, string>> = {}): Promise<Process> {
  const server = await aProcess(['bin/run', 'main'], {
    LOG_LEVEL: 'fatal',
    IP_LIMITS: 'off',
    DATA_DIR: folder,
    ...environment,
  })
  onTestFinished(() => server.kill())
  return server
}

function postmasterOf(folder: string): number {
  const pid = parseInt(readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8'), 10)
  // The file exists before its text is written.
  expect(pid).toBeGreaterThan(0)
  return pid
}

const demoOf = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as Demo).organizations[0]!
const keyOf = (folder: string): string => demoOf(folder).apiKeys.find(({ scopes }) => scopes.includes('*'))!.secret

async function onDatabase<T>(folder: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const socket = encodeURIComponent(join(folder, 'postgres/socket'))
  const client = new pg.Client({ connectionString: `postgres://crm@${socket}:5432/crm` })
  client.on('error', () => {})
  await client.connect()
  return work(client).finally(() => client.end())
}

/** The first channels of the LISTEN connections: those of subscribers, credentials, definitions, events, jobs and queued work. */
const listeners = [
  'ai_trigger_subscribers',
  'automation_subscribers',
  'credentials_changed',
  'definitions',
  'events_logged',
  'jobs:insert',
  'queue',
  'webhook_subscribers',
]

/** The first channel of each connection that listens, sorted. */
const listening = (folder: string): Promise<(string | undefined)[]> =>
  onDatabase(folder, async (client) => {
    const { rows } = await client.query<{ query: string }>(
      `select query from pg_stat_activity where query ilike 'listen%' order by lower(query) collate "C"`,
    )
    return rows.map(({ query }) => /"(.*?)"/.exec(query)?.[1])
  })

/** Every response until the platform is ready again, as clients and the operator see the outage. */
async function observeOutage({ url }: Process, headers: Readonly<Record<string, string>>) {
  const seen = new Set<string>()
  let isBack = false
  const ask = async () => {
    const [live, ready, answer] = await Promise.all([
      fetch(`${url}/health/live`),
      fetch(`${url}/health/ready`),
      fetch(`${url}/v1/accounts?limit=1`, { headers }),
    ])
    await Promise.all([live, ready, answer].map((each) => each.arrayBuffer()))
    seen.add(`live ${live.status}`).add(`ready ${ready.status}`)
    seen.add(`answer ${answer.status} ${answer.headers.get('retry-after') ?? ''}`.trim())
    isBack = seen.has('answer 503 1') && ready.status === 200 && answer.status === 200
    expect(isBack).toBe(true)
  }
  await vi.waitFor(ask, patience)
  return [...seen].sort()
}

const outage = ['answer 200', 'answer 503 1', 'live 200', 'ready 200', 'ready 503']

describe('an embedded database that is killed', { timeout: slowMs }, () => {
  it.each([
    ['the whole server', (folder: string) => Promise.resolve(postmasterOf(folder))],
    [
      'one of its connections',
      (folder: string) =>
        onDatabase(folder, async (client) => {
          const { rows } = await client.query<{ pid: number }>(
            `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`,
          )
          return rows[0]!.pid
        }),
    ],
  ])('(%s) restarts within seconds, and all listeners and workers reconnect to it', async (_, victim) => {
    const folder = await aFolder()
    const server = await aServer(folder)
    await server.start()
    const headers = { 'x-api-key': keyOf(folder), 'content-type': 'application/json' }
    const create = async (name: string) => {
      const body = JSON.stringify({ name })
      return (await fetch(`${server.url}/v1/accounts`, { method: 'POST', headers, body })).status
    }
    expect(await create('Before')).toBe(201)
    await vi.waitFor(async () => expect(await listening(folder)).toEqual(listeners), patience)

    const pid = await victim(folder)
    process.kill(pid, 'SIGKILL')

    const seen = await observeOutage(server, headers)
    expect(outage).toEqual(expect.arrayContaining(seen))
    // Readiness queries the database once per second, and an outage may be shorter.
    expect(seen).toEqual(expect.arrayContaining(['answer 503 1', 'live 200', 'ready 200']))
    expect(await create('After')).toBe(201)
    const found = await fetch(`${server.url}/v1/accounts?search=Before&limit=1`, { headers })
    expect(((await found.json()) as { total: number }).total).toBeGreaterThan(0)
    await vi.waitFor(async () => expect(await listening(folder)).toEqual(listeners), patience)
    const { email } = demoOf(folder).users[0]!
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ email }) }
    expect((await fetch(`${server.url}/v1/auth/forgot-password`, asked)).status).toBe(200)
    await vi.waitFor(() => expect(readdirSync(join(folder, 'mail'))).toHaveLength(1), patience)
    expect(await server.stop()).toBe(0)
  })

  it('and cannot be restarted ends the process with one line', async () => {
    const folder = await aFolder()
    const server = await aServer(folder, { DEMO: 'off' })
    await server.start()
    const postmaster = postmasterOf(folder)
    await rename(join(folder, 'postgres/data'), join(folder, 'postgres/elsewhere'))
    process.kill(postmaster, 'SIGKILL')

    expect(await server.ended()).toBe(1)
    const path = join(folder, 'postgres')
    expect(server.output()).toBe(
      `DATA_DIR: PostgreSQL on ${path} ended and cannot be restarted (the database folder ${path}/data no longer exists).\n`,
    )
  })

  it.each([0, 300, 1000])(
    '%i ms after the start begins either ends the start with one line or does not affect it',
    async (ms) => {
      const folder = await aFolder()
      const server = await aServer(folder)
      server.launch()
      const postmaster = await vi.waitFor(() => postmasterOf(folder), patience)
      await new Promise((resolve) => setTimeout(resolve, ms))
      process.kill(postmaster, 'SIGKILL')

      const ready = vi.waitFor(async () => {
        await waitUntilReady(server, folder)
        return 'ready'
      }, patience)
      const end = await Promise.race([server.ended(), ready])
      if (end === 'ready') expect(await server.stop()).toBe(0)
      else {
        expect(end).toBe(1)
        expect(server.output().trim().split('\n').at(-1)).toMatch(
          /^(?:The database failed during the start|DATA_DIR: PostgreSQL) .+\.$/,
        )
      }
      expect(server.output()).not.toMatch(/\n\s+at |Warning|Error:/)

      const again = await aServer(folder)
      await again.start()
      expect(await again.stop()).toBe(0)
    },
  )
})

/** A folder on a separate small disk; null if this account may not mount. */
function aDisk(folder: string, size: string): string | null {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status !== 0) return null
  onTestFinished(() => void spawnSync('umount', ['-l', folder]))
  return join(folder, 'data')
}

describe('a full disk', { timeout: slowMs }, () => {
  it.for(['1m', '30m', '55m'])('of %s ends the start with one line', async (size, { skip }) => {
    const folder = aDisk(await aFolder(), size) ?? skip('This account may not mount a disk.')
    const server = await aServer(folder)
    server.launch()
    expect(await server.ended()).toBe(1)
    expect(server.output()).toMatch(/^(?:The database failed during the start|DATA_DIR: PostgreSQL) .+\.\n$/)
  })

  it('refuses writes with 503 while it is full, still serves reads, and accepts writes again when there is space', async ({
    skip,
  }) => {
    const folder = aDisk(await aFolder(), '400m') ?? skip('This account may not mount a disk.')
    const server = await aServer(folder)
    await server.start()
    const headers = { 'x-api-key': keyOf(folder), 'content-type': 'application/json' }
    const create = () => {
      const body = JSON.stringify({ name: 'Big', description: randomBytes(3000).toString('base64') })
      return fetch(`${server.url}/v1/accounts`, { method: 'POST', headers, body })
    }
    fill(join(folder, 'filler'))
    let answer = await create()
    while (answer.status === 201) answer = await create()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])

    await rm(join(folder, 'filler'))
    await vi.waitFor(async () => expect((await create()).status).toBe(201), patience)
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })
})

/** Fills all free space. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  for (let size = 1 << 20; size >= 512; size >>= 1) {
    const zeros = Buffer.alloc(size)
    try {
      for (;;) writeSync(file, zeros)
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    }
  }
  closeSync(file)
}

describe('a start while the demo is being loaded', { timeout: slowMs }, () => {
  it('that was killed starts again and loads the complete demo', async () => {
    const folder = await aFolder()
    const killed = await aServer(folder)
    killed.launch()
    await loading(killed)
    await killed.kill()

    const server = await aServer(folder)
    await server.start()
    expect(await accountsIn(server, folder)).toBeGreaterThanOrEqual(300)
    expect(await server.stop()).toBe(0)
  })

  it('by another process on the same database waits, and both processes serve one demo', async () => {
    const { url, drop } = await freshDatabase()
    onTestFinished(drop)
    const [one, other] = [await aFolder(), await aFolder()]
    const keys = { ENCRYPTION_KEY: randomBytes(32).toString('base64'), DATABASE_URL: url, DEMO: 'on' }
    const first = await aServer(one, keys)
    first.launch()
    await loading(first)
    const second = await aServer(other, keys)
    await second.start()
    await vi.waitFor(async () => expect((await fetch(`${first.url}/health/ready`)).status).toBe(200), patience)

    expect(keyOf(other)).toBe(keyOf(one))
    expect(await accountsIn(second, other)).toBe(await accountsIn(first, one))
    expect([await first.stop(), await second.stop()]).toEqual([0, 0])
  })
})

/** Waits until the process responds and only the demo is missing for it to be ready. */
const loading = ({ url }: Process): Promise<void> =>
  vi.waitFor(async () => {
    const { reasons } = (await (await fetch(`${url}/health/ready`)).json()) as { reasons: object }
    expect(reasons).toEqual({ demo: 'is being loaded' })
  }, patience)

async function accountsIn({ url }: Process, folder: string): Promise<number> {
  const answer = await fetch(`${url}/v1/accounts?limit=1`, { headers: { 'x-api-key': keyOf(folder) } })
  return ((await answer.json()) as { total: number }).total
}

async function waitUntilReady({ url }: Process, folder: string): Promise<void> {
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  const headers = { 'x-api-key': keyOf(folder) }
  expect((await fetch(`${url}/v1/accounts?limit=1`, { headers })).status).toBe(200)
}
