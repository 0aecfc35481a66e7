import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isPassword } from '../identity/password/password.ts'
import { parseApiKey } from '../kernel/credentials/public.ts'
import { ConfigError } from '../kernel/config/config.ts'
import type { Sql } from '../kernel/database/sql.ts'
import { baseUrl, demoEnvironment, noon, recordTables, useLoadedDemo, type DemoEnvironment } from './demo.fixture.ts'
import { bannerOf, loadDemo } from './demo.ts'
import { profiles } from './profiles.ts'

const counted = async (sql: Sql, table: string): Promise<number[]> =>
  (
    await sql.query<{ n: number }>(`select count(*)::int as n from ${table} group by organization_id order by n desc`)
  ).map(({ n }) => n)

const digestOf = async (sql: Sql, table: string): Promise<string> => {
  const rows = await sql.query<{ row: string }>(`select t::text as row from ${table} t order by 1`)
  return createHash('sha256')
    .update(rows.map(({ row }) => row).join('\n'))
    .digest('hex')
}

const loaded = useLoadedDemo()

/** Loads only the smaller organization: enough for tests that do not look at the records. */
const loadSmall = (environment: DemoEnvironment, url = baseUrl) =>
  loadDemo({ ...environment, baseUrl: url, profiles: [profiles[1]!] })

describe('loadDemo', () => {
  it('is the same on the same day, at any hour and with different keys', async () => {
    const one = loaded()
    const other = await demoEnvironment(new Date(noon.getTime() + 9 * 3_600_000))
    await loadDemo({ ...other, baseUrl })
    for (const table of recordTables) {
      expect(await digestOf(other.services.database, table)).toBe(await digestOf(one.services.database, table))
    }
    const events = `(select organization_id, id, type, occurred_at, data from kernel.event where record_id is not null and object <> all('{organization,user,team,api_key}'))`
    expect(await digestOf(other.services.database, events)).toBe(await digestOf(one.services.database, events))
    const users = '(select organization_id, id, role, visibility, created_at from identity.app_user)'
    expect(await digestOf(other.services.database, users)).toBe(await digestOf(one.services.database, users))
  })

  it('writes nothing when it is killed in the middle, and loads everything at the next start', async () => {
    const { services, dataDir } = await demoEnvironment()
    const { database } = services
    await database.query(
      'create function kill() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$',
    )
    await database.query(
      'create trigger kill before insert on support.case_comment for each statement execute function kill()',
    )
    await expect(loadSmall({ services, dataDir })).rejects.toThrow('terminat')
    for (const table of [
      ...recordTables,
      'identity.organization',
      'identity.person',
      'identity.api_key',
      'kernel.event',
      'crm.account_totals',
      'kernel.record_number',
    ]) {
      expect(await database.query(`select 1 from ${table}`)).toEqual([])
    }
    expect(await readdir(dataDir)).toEqual(['keys'])

    await database.query('drop trigger kill on support.case_comment')
    await loadSmall({ services, dataDir })
    expect(await counted(database, 'crm.account')).toEqual([40])
  })

  it('loads the data once, also when several processes start together', async () => {
    const { services, dataDir } = await demoEnvironment()
    const all = await Promise.all([1, 2, 3].map(() => loadSmall({ services, dataDir })))
    expect(all[1]).toEqual(all[0])
    expect(all[2]).toEqual(all[0])
    expect(await counted(services.database, 'crm.account')).toEqual([40])
  })
})

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

  it('differs between installations', async () => {
    const [one, other] = await Promise.all([demoEnvironment(), demoEnvironment()])
    const secretsOf = ({ organizations }: Awaited<ReturnType<typeof loadDemo>>) =>
      organizations.flatMap(({ users, apiKeys }) => [
        ...users.map(({ password }) => password),
        ...apiKeys.map(({ secret }) => secret),
      ])
    const known = new Set(secretsOf(await loadSmall(one)))
    expect(known.size).toBe(4)
    expect(secretsOf(await loadSmall(other)).filter((secret) => known.has(secret))).toEqual([])
  })

  it('is not written when the demo was loaded with another key', async () => {
    const { services, dataDir } = await demoEnvironment()
    const first = await loadSmall({ services, dataDir })
    const changed = { ...services, keys: { ...services.keys, encryption: Buffer.alloc(32, 7) } }
    expect(await loadSmall({ services: changed, dataDir })).toEqual(first)
    await rm(join(dataDir, 'demo.json'))
    await expect(loadSmall({ services: changed, dataDir })).rejects.toThrow(ConfigError)
    expect(await readdir(dataDir)).toEqual(['keys'])
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
