import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../kernel/config/config.ts'
import type { Sql } from '../kernel/database/sql.ts'
import { baseUrl, demoEnvironment, noon, recordTables, useLoadedDemo, type DemoEnvironment } from './demo.fixture.ts'
import { loadDemo } from './demo.ts'
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
    expect((await readdir(dataDir)).toSorted()).toEqual(['files', 'keys'])
  })
})
