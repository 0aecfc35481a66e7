import { execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Demo } from '../../subgraphs/demo/demo-file.ts'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import { aProcess, type Process } from '../processes.ts'
import { freePort } from '../redis-server.ts'

// The programs of the guides, each as its reader runs it, against a server with the demo.

type Language = 'sh' | 'ts' | 'py'
const languages = ['sh', 'ts', 'py'] as const
const command = { sh: '/bin/bash', ts: process.execPath, py: 'python3' }
const flags: Record<Language, readonly string[]> = {
  sh: ['-euo', 'pipefail'],
  ts: ['--disable-warning=ExperimentalWarning'],
  py: [],
}

let folder: string
let server: Process
let environment: Record<string, string>
let headers: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-guides-'))
  const dataDir = join(folder, 'data')
  server = await aProcess(['bin/run', 'main'], {
    DATA_DIR: dataDir,
    OUTBOUND_ALLOW: '127.0.0.1',
    IP_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
  })
  await server.start()
  const [demo] = (JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo).organizations
  const key = demo!.apiKeys.find(({ scopes }) => scopes.includes('*'))!.secret
  const { email, password } = demo!.users[0]!
  headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  environment = {
    CRM_URL: server.url,
    CRM_KEY: key,
    CRM_EMAIL: email,
    CRM_PASSWORD: password,
    PATH: process.env['PATH']!,
  }
}, 120_000)
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Writes the first program of a guide in a language to a folder of its own, and returns the place. */
async function program(guide: string, language: Language): Promise<{ file: string; cwd: string }> {
  const text = readFileSync(join(projectRoot, 'gateway/pages/guides', `${guide}.md`), 'utf8')
  const code = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)![1]!
  const cwd = await mkdtemp(join(folder, `${guide}-`))
  const file = join(cwd, `program.${language === 'ts' ? 'mts' : language}`)
  await writeFile(file, code)
  return { file, cwd }
}

type Place = Awaited<ReturnType<typeof program>>

async function run(language: Language, { file, cwd }: Place, more: Record<string, string> = {}): Promise<string[]> {
  const env = { ...environment, ...more }
  const { stdout } = await promisify(execFile)(command[language], [...flags[language], file], {
    cwd,
    env,
    timeout: 60_000,
  })
  return stdout.trim().split('\n')
}

/** Starts a program that does not end; returns the lines that it has printed, which grow. */
function start(language: Language, { file, cwd }: Place, more: Record<string, string> = {}): string[] {
  const env = { ...environment, ...more }
  const child = spawn(command[language], [...flags[language], file], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  onTestFinished(() => void process.kill(-child.pid!, 'SIGKILL'))
  const lines: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)))
  return lines
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (response.status === 204 ? null : await response.json()) as T
}

/** A server that takes every request, until the test is finished, and the bodies that it has received, which grow. */
async function aReceiver(): Promise<{ url: string; bodies: unknown[] }> {
  const bodies: unknown[] = []
  const receiver = createServer(async (req, res) => {
    bodies.push(JSON.parse(Buffer.concat(await req.toArray()).toString()))
    res.writeHead(204).end()
  })
  const port = await freePort()
  await new Promise<void>((resolve) => receiver.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void receiver.close())
  return { url: `http://127.0.0.1:${port}/machines`, bodies }
}

const untilPrinted = (lines: readonly string[], line: string): Promise<void> =>
  vi.waitFor(() => expect(lines).toContain(line), { timeout: 30_000, interval: 50 })

describe.each(languages)('in %s', (language) => {
  it('signs in and renews the session', async () => {
    expect(await run(language, await program('sign-in', language))).toEqual([environment['CRM_EMAIL']])
  })

  it('reads all pages', async () => {
    const { total } = await call<{ total: number }>('GET', '/v1/deals?isClosed=false&limit=1')
    expect(total).toBeGreaterThan(100)
    expect(await run(language, await program('list-and-page', language))).toEqual([`${total} deals`])
  })

  it('searches all record types', async () => {
    const name = `Searched ${language.toUpperCase()} Yard`
    await call('POST', '/v1/accounts', { name })
    const place = await program('search', language)
    const found = await vi.waitFor(
      async () => {
        const lines = await run(language, place, { QUERY: `searched ${language} ya` })
        expect(lines).toEqual([`account ${name}`])
        return lines
      },
      { timeout: 30_000, interval: 200 },
    )
    expect(found).toHaveLength(1)
  })

  it('keeps a copy in sync', async () => {
    const place = await program('sync', language)
    const [{ id: changed }, { id: deleted }] = (await Promise.all(
      ['Sync One', 'Sync Two'].map((name) => call<{ id: string }>('POST', '/v1/accounts', { name })),
    )) as [{ id: string }, { id: string }]
    const since = new Date().toISOString()
    if (language !== 'sh') await run(language, place)
    await call('PATCH', `/v1/accounts/${changed}`, { name: 'Sync One B' })
    await call('DELETE', `/v1/accounts/${deleted}`)
    const { id: created } = await call<{ id: string }>('POST', '/v1/accounts', { name: 'Sync Three' })
    expect(await run(language, place, { SINCE: since })).toEqual(['2 written, 1 removed'])
    if (language === 'sh') return
    const { accounts } = JSON.parse(await readFile(join(place.cwd, 'accounts.json'), 'utf8')) as {
      accounts: Record<string, { name: string }>
    }
    expect([accounts[changed]?.name, accounts[deleted], accounts[created]?.name]).toEqual([
      'Sync One B',
      undefined,
      'Sync Three',
    ])
    const { total } = await call<{ total: number }>('GET', '/v1/accounts?limit=1')
    expect(Object.keys(accounts).length).toBe(total)
  })

  it('adds a custom field and sets it', async () => {
    const lines = await run(language, await program('custom-fields', language))
    const { total } = await call<{ total: number }>('GET', '/v1/deals?customFields[renewalRisk]=HIGH&limit=1')
    expect([lines, total > 0]).toEqual([[`${total}`], true])
  })

  it('defines a custom object, and reads its records', async () => {
    const receiver = await aReceiver()
    const place = await program('custom-objects', language)
    const machine = 'P-7730 RUNNING Harbor Pumps'
    const lines = await run(language, place, { RECEIVER_URL: receiver.url })
    expect(lines).toEqual([machine, machine, expect.stringMatching(/^type Machine .*\{$/)])
    const [delivered] = await vi.waitFor(
      () => {
        expect(receiver.bodies).not.toEqual([])
        return receiver.bodies
      },
      { timeout: 30_000, interval: 50 },
    )
    expect(delivered).toMatchObject({
      type: 'custom_object.machine.created',
      data: { record: { name: 'P-7730', customFields: { serialNumber: 'P-7730', status: 'RUNNING' } } },
    })
  })

  it('goes from a quote to cash', async () => {
    const lines = await run(language, await program('quote-to-cash', language))
    expect(lines).toEqual(language === 'sh' ? ['SENT', 'ACCEPTED', 'CONFIRMED', 'PAID'] : ['PAID 1071'])
  })

  it('shows changes of a board', async () => {
    const lines = start(language, await program('live-board', language))
    await vi.waitFor(() => expect(lines.join()).toContain('Prospecting'), { timeout: 30_000, interval: 50 })
    const { data } = await call<{ data: { id: string; stage: string }[] }>('GET', '/v1/deals?isClosed=false&limit=1')
    await call('PATCH', `/v1/deals/${data[0]!.id}`, { name: `Board in ${language}` })
    const line =
      language === 'sh' ? `"name":"Board in ${language}"` : `opportunity.updated Board in ${language} ${data[0]!.stage}`
    await vi.waitFor(() => expect(lines.join()).toContain(line), { timeout: 30_000, interval: 50 })
  })
})

it('deploys files that were retrieved, and one more', async () => {
  expect(await run('sh', await program('configuration-as-code', 'sh'))).toEqual(['SUCCEEDED 1', 'SUCCEEDED 1'])
})

it('goes from an empty folder to an object, a function and a workflow by the command line', async () => {
  const place = await program('command-line', 'sh')
  const PATH = `${join(projectRoot, 'bin')}:${process.env['PATH']}`
  const lines = await run('sh', place, { PATH, XDG_CONFIG_HOME: join(place.cwd, 'config') })
  expect(lines).toContain('+ WORKFLOW Grade inspections')
  expect(lines).toContain('  call  CREATE_TASK  SUCCEEDED')
  expect(lines.at(-1)).toContain('91 points are A')
  const { data } = await call<{ data: { subject: string }[] }>('GET', '/v1/tasks?search=Crane&limit=10')
  expect(data.map(({ subject }) => subject)).toEqual(['Crane 7: A'])
})

it.each(['sh', 'ts'] as const)('loads rows by their keys in %s, and tells which failed', async (language) => {
  const place = await program('bulk', language)
  for (const time of ['first', 'second']) {
    const [counts, ...rows] = await run(language, place)
    const failed = rows.map((row) => row.split(',').slice(0, 3).join(','))
    expect({ time, counts, failed }).toEqual({
      time,
      counts: '1 written, 2 failed',
      failed: ['2,REQUIRED,name', '3,WRONG_TYPE,numberOfEmployees'],
    })
  }
  const { data } = await call<{ data: object[] }>('GET', '/v1/accounts?externalId=ERP-1001')
  expect(data).toMatchObject([{ name: 'Halvorsen Marine', numberOfEmployees: 240, version: 1 }])
})

describe.each(['ts', 'py'] as const)('a receiver in %s', (language) => {
  it('takes events of its webhook and nothing else', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/crm`
    const [secret] = await run('sh', await program('verify-a-webhook', 'sh'), { RECEIVER_URL: url })
    const lines = start(language, await program('verify-a-webhook', language), {
      PORT: String(port),
      WEBHOOK_SECRET: secret!,
    })
    await untilPrinted(lines, 'ready')
    await call('POST', '/v1/accounts', { name: `Hook ${language}` })
    await untilPrinted(lines, `account.created Hook ${language}`)

    const body = JSON.stringify({ type: 'account.created', data: { record: { name: 'Forged' } } })
    const now = Math.floor(Date.now() / 1000)
    const signed = (time: number, withSecret: string) =>
      `t=${time},v1=${createHmac('sha256', withSecret).update(`${time}.${body}`).digest('hex')}`
    const statusOf = async (signature: string) =>
      (await fetch(url, { method: 'POST', headers: { 'X-Service-Signature': signature }, body })).status
    const forged = [signed(now, 'whsec_other'), signed(now - 301, secret!), `t=${now},v1=`, 'v1=00', '']
    expect(await Promise.all(forged.map(statusOf))).toEqual([400, 400, 400, 400, 400])
    expect(lines).toEqual(['ready', `account.created Hook ${language}`])
    expect(await statusOf(signed(now, secret!))).toBe(204)
  })
})
