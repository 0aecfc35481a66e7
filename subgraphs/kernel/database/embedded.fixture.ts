import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Account } from './embedded-account.ts'

export const log = pino({ level: 'silent' })
export const module = new URL('./embedded.ts', import.meta.url).href

// Runs a server until stdin ends, then stops it. Only the server may keep this process alive.
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

/** A new data folder for each test, and the child processes to kill after it. */
export const place = { parent: '', dataDir: '', children: [] as ChildProcess[] }

export function useFreshPlace(): void {
  beforeEach(async () => {
    place.children = []
    place.parent = await mkdtemp('/tmp/embedded-')
    await chmod(place.parent, 0o755)
    place.dataDir = join(place.parent, 'data')
  })
  afterEach(async () => {
    for (const child of place.children) {
      if (child.exitCode === null && child.signalCode === null) await killed(child)
    }
    await vi.waitFor(() => rm(place.parent, { recursive: true, force: true }), { timeout: 5000 })
  })
}

export function spawnStart(folder: string, account: Account = {}, ...options: string[]) {
  const args = ['--input-type=module', '-e', program, folder, ...options]
  const child = spawn(process.execPath, args, { ...account, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
  place.children.push(child)
  return child
}

export async function startApart(folder: string, account: Account = {}, ...options: string[]) {
  const child = spawnStart(folder, account, ...options)
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, ...(JSON.parse(line) as { url: string; error?: string }) }
}

export async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

export async function ended(child: ChildProcess): Promise<unknown> {
  const gone = once(child, 'exit')
  child.stdin?.end()
  return (await gone)[0]
}

export async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

export async function ask(url: string, text: string): Promise<unknown> {
  const client = await connected(url)
  const { rows } = await client.query(text).finally(() => client.end())
  return rows[0]
}

export const serverPid = async () =>
  parseInt(await readFile(join(place.dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10)
export const serverIsGone = () =>
  vi.waitFor(() => expect(stat(join(place.dataDir, 'postgres/data/postmaster.pid'))).rejects.toThrow('ENOENT'), {
    timeout: 10_000,
    interval: 10,
  })
