import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { databaseUrl } from '../database-url.ts'
import { aFolder, demoOf, keyOf, startedMain as started } from './main-process.ts'
import { expectOneLine } from './refused-start.ts'

describe('a first start on an empty folder', () => {
  it("is ready with the demo, keeps its secrets readable for the file's owner only, prints how to sign in, loses nothing by kill -9, and exits with 0 on SIGTERM", async () => {
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
    const headers = { 'x-api-key': keyOf(demo), 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'Acknowledged' })
    const created = await fetch(`${process.url}/v1/accounts`, { method: 'POST', headers, body })
    expect(created.status).toBe(201)
    const { id } = (await created.json()) as { id: string }
    await process.kill()
    await process.start()
    expect((await fetch(`${process.url}/v1/accounts/${id}`, { headers })).status).toBe(200)
    // Many database connections, which must all close cleanly.
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        fetch(`${process.url}/v1/cases?search=a${index}`, { headers: { 'x-api-key': keyOf(demo) } }),
      ),
    )

    expect(await process.stop()).toBe(0)
    expect(existsSync(join(folder, 'postgres/data/postmaster.pid'))).toBe(false)
    // A killed process may leave its database, which the next one stops and says so.
    const lines = process
      .output()
      .split('\n')
      .filter((line) => !line.includes('left the embedded PostgreSQL running'))
    expect(lines.filter((line) => /"level":(?:40|50|60)/.test(line))).toEqual([])
  })
})

describe('a start with a wrong configuration', () => {
  it.each([
    [
      'a database that does not exist',
      { DATABASE_URL: databaseUrl(inject('templateUrl').replace('//crm@', '//crm:hunter2@'), 'nowhere') },
      '"nowhere" does not exist',
    ],
  ] as const)('with %s reports it in one line', (_, environment, words) => expectOneLine(words, environment))
})
