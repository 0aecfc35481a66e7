import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { databaseUrl } from '../database-url.ts'
import { freshDatabase } from '../fresh-database.ts'
import { aProcess } from '../processes.ts'
import { aFolder, startedMain as started } from './main-process.ts'
import { expectOneLine } from './refused-start.ts'

describe('a second start', () => {
  it('on the same data folder names the running process and does not disturb it', async () => {
    const folder = await aFolder()
    const first = await started({ DATA_DIR: folder, DEMO: 'off' })
    const second = await aProcess(['bin/run', 'main'], { DATA_DIR: folder, DEMO: 'off' })
    await expect(second.start()).rejects.toThrow(/already uses the data folder/)
    expect((await fetch(`${first.url}/health/ready`)).status).toBe(200)
    expect(await first.stop()).toBe(0)
  })
})

describe('a start on a port in use', () => {
  it('reports it in one line and leaves no process running', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const folder = await aFolder()
    const late = await aProcess(['bin/run', 'main'], {
      DATA_DIR: folder,
      DEMO: 'off',
      LOG_LEVEL: 'warn',
      PORT: String(port),
    })
    onTestFinished(() => late.kill())
    await expect(late.start()).rejects.toThrow(
      /^bin\/run main ended \(code 1\):\nHOST, PORT: cannot listen on .*EADDRINUSE.*\n$/,
    )
    expect(existsSync(join(folder, 'postgres/data/postmaster.pid'))).toBe(false)
  })
})

/** A database on the server of the test run, with other credentials. */
const templateAs = (user: string, database: string): string =>
  databaseUrl(inject('templateUrl').replace('//crm@', `//${user}@`), database)

describe('a start with a wrong configuration', () => {
  it.each([
    ['an unknown log level', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    ['an invalid address list', { TRUST_PROXY: 'localhost' }, 'TRUST_PROXY'],
    ['a URL of an unknown subgraph', { SUBGRAPH_SUPORT_URL: 'http://support:4000' }, 'SUBGRAPH_SUPORT_URL: '],
    ['a data folder that cannot be created', { DATA_DIR: '/proc/crm/data' }, 'DATA_DIR: /proc/crm/data cannot be'],
    ['a file as data folder', { DATA_DIR: '/etc/passwd' }, 'DATA_DIR: /etc/passwd cannot be'],
    [
      'a database server that does not run',
      { DATABASE_URL: 'postgres://crm:hunter2@127.0.0.1:1/crm' },
      'DATABASE_URL: cannot reach the database on 127.0.0.1:1 (connect ECONNREFUSED',
    ],
    ['a database role that may not log in', { DATABASE_URL: templateAs('eve:hunter2', 'crm') }, 'user "eve"'],
    ['an unknown subgraph', {}, 'The subgraph must be one of', ['bin/run', 'main', 'subgraph', 'sales']],
  ] as const)(
    'with %s reports it in one line',
    (_, environment, words, command: readonly string[] = ['bin/run', 'main']) =>
      expectOneLine(words, environment, command),
  )

  it.each([
    ['an invalid address', { HOST: 'nowhere.invalid' }, 'HOST, PORT: cannot listen on nowhere.invalid'],
    ['an address of another machine', { HOST: '192.0.2.1' }, 'HOST, PORT: cannot listen on 192.0.2.1'],
    ['an invalid address of Redis', { REDIS_URL: 'redis://127.0.0.1:1/crm' }, 'REDIS_URL cannot be used'],
  ])('reports %s in one line after the database is open', async (_, environment, words) => {
    const { url, drop } = await freshDatabase()
    onTestFinished(drop)
    await expectOneLine(words, { DATABASE_URL: url, ...environment })
  })
})
