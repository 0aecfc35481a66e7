import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isPassword } from '../identity/password/password.ts'
import { parseApiKey } from '../kernel/credentials/public.ts'
import { baseUrl, demoEnvironment, useLoadedDemo, type DemoEnvironment } from './demo.fixture.ts'
import { bannerOf, loadDemo } from './demo.ts'
import { profiles } from './profiles.ts'

const loaded = useLoadedDemo()

/** Loads only the smaller organization: enough for tests that do not look at the records. */
const loadSmall = (environment: DemoEnvironment, url = baseUrl) =>
  loadDemo({ ...environment, baseUrl: url, profiles: [profiles[1]!] })

describe('demo.json', () => {
  it('contains the users and keys of the demo, and only its owner can read it', async () => {
    const { demo, dataDir } = loaded()
    const path = join(dataDir, 'demo.json')
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(demo)
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600')
    expect(Object.keys(demo)).toEqual(['baseUrl', 'organizations'])
    for (const organization of demo.organizations) {
      expect(Object.keys(organization)).toEqual(['id', 'name', 'users', 'apiKeys'])
      expect(organization.users.map((user) => Object.keys(user).join())).toEqual(
        organization.users.map(() => 'email,password,role,visibility'),
      )
      expect(organization.apiKeys.map((key) => Object.keys(key).join())).toEqual(
        organization.apiKeys.map(() => 'name,scopes,secret'),
      )
      expect(new Set(organization.users.map(({ role }) => role))).toEqual(
        new Set(['OWNER', 'ADMIN', 'MANAGER', 'MEMBER', 'READ_ONLY']),
      )
      const members = organization.users.filter(({ role }) => role === 'MEMBER')
      expect(new Set(members.map(({ visibility }) => visibility))).toEqual(new Set(['OWN', 'TEAM', 'ALL']))
      const [every, read, one] = organization.apiKeys.map(({ scopes }) => scopes)
      expect([every, one]).toEqual([['*'], ['READ_ACCOUNTS']])
      expect(read).toEqual(expect.arrayContaining(['READ_ACCOUNTS', 'READ_CASES', 'READ_PRODUCTS']))
      expect(read!.filter((scope) => !scope.startsWith('READ_'))).toEqual([])
    }
  })

  it('contains the passwords and keys whose hashes are stored', async () => {
    const { services, demo } = loaded()
    const { database } = services
    for (const { id, users, apiKeys } of demo.organizations) {
      const { email, password } = users[0]!
      const [person] = await database.query<{ hash: string }>(
        'select password_hash as hash from identity.person where email = $1',
        [email],
      )
      expect(await isPassword(password, person!.hash)).toBe(true)
      const hashes = await database.query(
        'select secret_hash as hash, scopes from identity.api_key where organization_id = $1 order by id',
        [id],
      )
      const expected = apiKeys.map(({ secret, scopes }) => ({ hash: parseApiKey(secret)!.hash, scopes }))
      expect(new Set(hashes.map((row) => JSON.stringify(row)))).toEqual(
        new Set(expected.map((row) => JSON.stringify(row))),
      )
    }
  })

  it('is not changed by another start, gets a new base URL, and is written again when it is lost', async () => {
    const { services, dataDir } = await demoEnvironment()
    const path = join(dataDir, 'demo.json')
    const first = await loadSmall({ services, dataDir })
    const moved = await loadSmall({ services, dataDir }, 'https://crm.example')
    expect(moved).toEqual({ ...first, baseUrl: 'https://crm.example' })
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(moved)
    await rm(path)
    expect(await loadSmall({ services, dataDir })).toEqual(first)
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(first)
  })
})

describe('bannerOf', () => {
  it('contains the URLs, a sign-in and a key', async () => {
    const { demo } = loaded()
    const [{ users, apiKeys }] = demo.organizations as [(typeof demo.organizations)[number]]
    expect(bannerOf(demo, { GraphQL: `${baseUrl}/graphql`, REST: `${baseUrl}/v1` }).split('\n')).toEqual([
      '',
      '  GraphQL  http://127.0.0.1:4000/graphql',
      '  REST     http://127.0.0.1:4000/v1',
      '  Demo     Fjordline Freight Systems',
      `  Sign-in  ingrid.solberg@fjordline.example  ${users[0]!.password}`,
      `  API key  ${apiKeys[0]!.secret}`,
      '',
    ])
  })
})
