import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import type { Demo } from '../../subgraphs/demo/demo-file.ts'
import { databaseUrl } from '../database-url.ts'
import { aFolder, startedMain as started } from './main-process.ts'
import { expectOneLine } from './refused-start.ts'

const demoOf = (folder: string): Demo => JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as Demo
const keyOf = (demo: Demo): string => demo.organizations[0]!.apiKeys.find(({ scopes }) => scopes.includes('*'))!.secret

describe('a first start on an empty folder', () => {
  it("is ready with the demo, keeps its secrets readable for the file's owner only, prints how to sign in, and exits with 0 on SIGTERM", async () => {
    const folder = await aFolder()
    const process = await started({ DATA_DIR: folder })

    const demo = demoOf(folder)
    expect(statSync(join(folder, 'demo.json')).mode & 0o777).toBe(0o600)
    expect(demo.baseUrl).toBe(process.url)
    expect(demo.organizations).toHaveLength(2)
    for (const { users, apiKeys } of demo.organizations) {
      expect(new Set(users.map(({ role }) => role))).toEqual(
        new Set(['OWNER', 'ADMIN', 'MANAGER', 'MEMBER', 'READ_ONLY']),
      )
      expect(new Set(users.filter(({ role }) => role === 'MEMBER').map(({ visibility }) => visibility))).toEqual(
        new Set(['OWN', 'TEAM', 'ALL']),
      )
      expect(apiKeys.map(({ scopes }) => scopes.length === 1)).toContain(true)
    }
    const totals = await Promise.all(
      ['accounts', 'cases', 'products'].map(async (path) => {
        const answer = await fetch(`${process.url}/v1/${path}?limit=1`, { headers: { 'x-api-key': keyOf(demo) } })
        return ((await answer.json()) as { total: number }).total
      }),
    )
    expect(totals[0]).toBeGreaterThanOrEqual(300)
    expect(totals[1]).toBeGreaterThanOrEqual(600)
    expect(totals[2]).toBeGreaterThanOrEqual(80)
    for (const words of ['/v1/graphql', '/docs', demo.organizations[0]!.users[0]!.email, keyOf(demo)])
      expect(process.output()).toContain(words)
    expect((await fetch(`${process.url}/metrics`)).status).toBe(200)
    // Many database connections, which must all close cleanly.
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        fetch(`${process.url}/v1/cases?search=a${index}`, { headers: { 'x-api-key': keyOf(demo) } }),
      ),
    )

    expect(await process.stop()).toBe(0)
    expect(existsSync(join(folder, 'postgres/data/postmaster.pid'))).toBe(false)
    expect(process.output()).not.toMatch(/"level":(?:40|50|60)/)
  })
})

describe('kill -9', () => {
  it('loses no acknowledged write and executes no retried write twice', async () => {
    const folder = await aFolder()
    const first = await started({ DATA_DIR: folder })
    const headers = { 'x-api-key': keyOf(demoOf(folder)), 'content-type': 'application/json' }
    const create = async (url: string, name: string) => {
      const answer = await fetch(`${url}/v1/accounts`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': name },
        body: JSON.stringify({ name }),
      })
      if (answer.status !== 201) throw new Error(`status ${answer.status}`)
      return { id: ((await answer.json()) as { id: string }).id, replayed: answer.headers.get('idempotent-replayed') }
    }

    const answered = new Map<string, string>()
    const names = Array.from({ length: 400 }, (_, index) => `crash-${index}`)
    const left = names.values()
    // Ten concurrent writers: when the process dies, some requests are answered, some in progress and some not sent.
    const writers = Array.from({ length: 10 }, async () => {
      for (const name of left) {
        answered.set(name, (await create(first.url, name)).id)
        if (answered.size === 60) await first.kill()
      }
    })
    const ends = await Promise.allSettled(writers)
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(10)

    const second = await started({ DATA_DIR: folder })
    const repeated = new Map<string, string>()
    for (const name of names.slice(0, 120)) {
      const { id, replayed } = await create(second.url, name)
      repeated.set(name, id)
      if (answered.has(name)) expect(replayed).toBe('true')
    }
    for (const [name, id] of answered) expect([name, repeated.get(name) ?? id]).toEqual([name, id])

    const found = await fetch(`${second.url}/v1/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: '{ accountList(filter: {name: {startsWith: "crash-"}}, limit: 1) { total } }' }),
    })
    const { data } = (await found.json()) as { data: { accountList: { total: number } } }
    expect(data.accountList.total).toBe(new Set([...repeated.keys(), ...answered.keys()]).size)
    expect(await second.stop()).toBe(0)
  })
})

describe('a start with a wrong configuration', () => {
  it.each([
    ['an unknown log level', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [
      'a database that does not exist',
      { DATABASE_URL: databaseUrl(inject('templateUrl').replace('//crm@', '//crm:hunter2@'), 'nowhere') },
      '"nowhere" does not exist',
    ],
  ] as const)('with %s reports it in one line', (_, environment, words) => expectOneLine(words, environment))
})
