import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { validateEvents, type StoredEvent } from '../../test/contract/validate-events.ts'
import { account } from '../crm/account/account.record.ts'
import { isPassword } from '../identity/password/password.ts'
import { parseApiKey } from '../kernel/credentials/public.ts'
import { ConfigError } from '../kernel/config/config.ts'
import type { Row, Sql } from '../kernel/database/sql.ts'
import { save } from '../kernel/record/save.ts'
import { systemContext } from '../kernel/request.ts'
import { caseAutoClose } from '../support/case/case-auto-close.job.ts'
import { caseSlaBreach } from '../support/case/case-sla-breach.job.ts'
import { supportCase } from '../support/case/case.record.ts'
import { demoEnvironment, baseUrl, noon } from './demo.fixture.ts'
import { bannerOf, loadDemo } from './demo.ts'

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

interface EventData {
  readonly record: Row
}

/** Fields whose values differ for each write. */
const fieldsOfEachWrite = ['id', 'organizationId', 'version', 'createdAt', 'updatedAt', 'createdById', 'updatedById']
const columnsOfEachWrite = ['id', 'created_at', 'updated_at', 'created_by_id', 'updated_by_id']

const without = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

const comparable = (data: EventData) => ({
  ...without(data as unknown as Row, ['id', 'actorId']),
  record: without(data.record, fieldsOfEachWrite),
})

const recordTables = ['crm.account', 'commerce.product', 'support."case"', 'support.case_comment']

describe('loadDemo', () => {
  it('loads two organizations with an exact number of records, maintained counts and case numbers', async () => {
    const { services, dataDir } = await demoEnvironment()
    const { database } = services
    const started = performance.now()
    const demo = await loadDemo({ services, dataDir, baseUrl })
    console.log(`the demo was loaded in ${Math.round(performance.now() - started)} ms`)

    expect(demo.organizations.map(({ name }) => name)).toEqual(['Fjordline Freight Systems', 'Kestrel Instruments'])
    expect(await counted(database, 'crm.account')).toEqual([320, 40])
    expect(await counted(database, 'support."case"')).toEqual([600, 60])
    expect(await counted(database, 'commerce.product')).toEqual([80, 20])
    const totals = await database.query(
      ['crm.account', 'identity.api_key', 'support.case', 'commerce.product']
        .map(
          (table) =>
            `select '${table}' as table, sum(n)::int as total from ${table}_totals where organization_id = $1 and kind in ('CHANGE', 'GROUP')`,
        )
        .join(' union all '),
      [demo.organizations[0]!.id],
    )
    expect(totals).toEqual([
      { table: 'crm.account', total: 320 },
      { table: 'identity.api_key', total: 3 },
      { table: 'support.case', total: 600 },
      { table: 'commerce.product', total: 80 },
    ])
    const ctx = systemContext(services, demo.organizations[1]!.id)
    const fresh = { subject: 'One more', status: 'NEW', priority: 'LOW' } as const
    const next = await save(ctx, supportCase, { operation: 'CREATE', previous: null, values: fresh })
    expect(next.caseNumber).toBe(61)
  })

  it('writes an event for every record, valid against its JSON Schema', async () => {
    const { services, dataDir } = await demoEnvironment()
    await loadDemo({ services, dataDir, baseUrl })
    const events = await services.database.query<StoredEvent>(
      'select type, version, data from kernel.event order by id',
    )
    expect(validateEvents(events)).toEqual([])
    const [missing] = await services.database.query(
      `select count(*)::int as n from (${recordTables.map((table) => `select organization_id, id, created_at from ${table}`).join(' union all ')}) r
       where not exists (select 1 from kernel.event e where e.organization_id = r.organization_id and e.record_id = r.id
         and e.occurred_at = r.created_at and (e.type like '%.created' or e.type = 'case.comment_added'))`,
    )
    expect(missing).toEqual({ n: 0 })
  })

  it('writes the same rows and events as save', async () => {
    const { services, dataDir } = await demoEnvironment()
    const { database } = services
    const demo = await loadDemo({ services, dataDir, baseUrl })
    const ctx = systemContext(services, demo.organizations[0]!.id)
    const [{ id }] = (await database.query(
      'select id from crm.account where parent_account_id is not null order by id limit 1',
    )) as [{ id: string }]
    const written = async (accountId: string) => {
      const [row] = await database.query('select * from crm.account where id = $1', [accountId])
      const [event] = await database.query<{ type: string; version: number; object: string; data: EventData }>(
        'select type, version, object, data from kernel.event where record_id = $1',
        [accountId],
      )
      return { row: row!, event: event! }
    }
    const demoOne = await written(id)
    const values = without(demoOne.event.data.record, fieldsOfEachWrite)
    const saved = await written((await save(ctx, account, { operation: 'CREATE', previous: null, values })).id)

    expect(without(saved.row, columnsOfEachWrite)).toEqual(without(demoOne.row, columnsOfEachWrite))
    expect({ ...saved.event, data: comparable(saved.event.data) }).toEqual({
      ...demoOne.event,
      data: comparable(demoOne.event.data),
    })
    expect(Object.keys(saved.event.data.record)).toEqual(Object.keys(demoOne.event.data.record))
  })

  it('is the same on the same day, at any hour and with different keys', async () => {
    const [one, other] = [await demoEnvironment(), await demoEnvironment(new Date(noon.getTime() + 9 * 3_600_000))]
    await loadDemo({ ...one, baseUrl })
    await loadDemo({ ...other, baseUrl })
    for (const table of recordTables) {
      expect(await digestOf(other.services.database, table)).toBe(await digestOf(one.services.database, table))
    }
    const events = `(select organization_id, id, type, occurred_at, data from kernel.event where object = any('{account,case,case_comment,product}'))`
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
    await expect(loadDemo({ services, dataDir, baseUrl })).rejects.toThrow('terminat')
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
    await loadDemo({ services, dataDir, baseUrl })
    expect(await counted(database, 'crm.account')).toEqual([320, 40])
  })

  it('loads the data once, also when several processes start together', async () => {
    const { services, dataDir } = await demoEnvironment()
    const all = await Promise.all([1, 2, 3].map(() => loadDemo({ services, dataDir, baseUrl })))
    expect(all[1]).toEqual(all[0])
    expect(all[2]).toEqual(all[0])
    expect(await counted(services.database, 'crm.account')).toEqual([320, 40])
  })
})

describe('demo.json', () => {
  it('contains the users and keys of the demo, and only its owner can read it', async () => {
    const { services, dataDir } = await demoEnvironment()
    const demo = await loadDemo({ services, dataDir, baseUrl })
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
    const { services, dataDir } = await demoEnvironment()
    const { database } = services
    const { organizations } = await loadDemo({ services, dataDir, baseUrl })
    for (const { id, users, apiKeys } of organizations) {
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
    const first = await loadDemo({ services, dataDir, baseUrl })
    const moved = await loadDemo({ services, dataDir, baseUrl: 'https://crm.example' })
    expect(moved).toEqual({ ...first, baseUrl: 'https://crm.example' })
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(moved)
    await rm(path)
    expect(await loadDemo({ services, dataDir, baseUrl })).toEqual(first)
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(first)
  })

  it('differs between installations', async () => {
    const [one, other] = await Promise.all([demoEnvironment(), demoEnvironment()])
    const secretsOf = ({ organizations }: Awaited<ReturnType<typeof loadDemo>>) =>
      organizations.flatMap(({ users, apiKeys }) => [
        ...users.map(({ password }) => password),
        ...apiKeys.map(({ secret }) => secret),
      ])
    const known = new Set(secretsOf(await loadDemo({ ...one, baseUrl })))
    expect(known.size).toBe(8)
    expect(secretsOf(await loadDemo({ ...other, baseUrl })).filter((secret) => known.has(secret))).toEqual([])
  })

  it('is not written when the demo was loaded with another key', async () => {
    const { services, dataDir } = await demoEnvironment()
    const first = await loadDemo({ services, dataDir, baseUrl })
    const changed = { ...services, keys: { ...services.keys, encryption: Buffer.alloc(32, 7) } }
    expect(await loadDemo({ services: changed, dataDir, baseUrl })).toEqual(first)
    await rm(join(dataDir, 'demo.json'))
    await expect(loadDemo({ services: changed, dataDir, baseUrl })).rejects.toThrow(ConfigError)
    expect(await readdir(dataDir)).toEqual(['keys'])
  })
})

describe('the demo data', () => {
  it('is consistent in time and by the rules of cases', async () => {
    const { services, dataDir } = await demoEnvironment()
    const { database } = services
    await loadDemo({ services, dataDir, baseUrl })
    const violations = (rule: string) =>
      database.query(
        `select c.case_number, c.status from support."case" c
         left join crm.account a on a.organization_id = c.organization_id and a.id = c.account_id
         where not (${rule}) limit 3`,
      )
    expect(await violations(`(c.status in ('RESOLVED', 'CLOSED')) = (c.resolved_at is not null)`)).toEqual([])
    expect(await violations(`(c.status = 'CLOSED') = (c.closed_at is not null)`)).toEqual([])
    expect(await violations(`c.closed_at is null or c.closed_at >= c.resolved_at`)).toEqual([])
    expect(await violations(`(c.status = 'PENDING_CUSTOMER') = (c.paused_at is not null)`)).toEqual([])
    expect(await violations(`(c.escalation_level > 0) = (c.escalated_at is not null)`)).toEqual([])
    expect(await violations(`a.created_at < c.created_at`)).toEqual([])
    expect(
      await violations(
        `greatest(c.first_response_at, c.resolved_at, c.closed_at, c.escalated_at, c.paused_at, c.created_at) <= c.updated_at`,
      ),
    ).toEqual([])
    expect(await violations(`c.updated_at < '2026-11-21'`)).toEqual([])
    expect(
      await violations(`c.first_response_at is not distinct from (select min(m.created_at) from support.case_comment m
        where m.organization_id = c.organization_id and m.case_id = c.id and m.author_type = 'USER' and not m.is_internal)`),
    ).toEqual([])
    expect(await violations(`c.subject || c.description !~ '[{}]'`)).toEqual([])
    const numbers = await database.query(
      `select case_number as number from support."case" where organization_id = $1 order by created_at, case_number`,
      [(await loadDemo({ services, dataDir, baseUrl })).organizations[0]!.id],
    )
    expect(numbers.map(({ number }) => number)).toEqual(Array.from({ length: 600 }, (_, index) => index + 1))
  })

  it('leaves no work for the jobs at the last midnight', async () => {
    const { services, dataDir } = await demoEnvironment()
    await loadDemo({ services, dataDir, baseUrl })
    const before = await services.database.query('select count(*)::int as n from kernel.event')
    const midnight = { ...services, clock: { now: () => new Date('2026-11-21T00:00:00.000Z') } }
    await caseSlaBreach.run(midnight)
    await caseAutoClose.run(midnight)
    expect(await services.database.query('select count(*)::int as n from kernel.event')).toEqual(before)
  })

  it('has account hierarchies of three levels', async () => {
    const { services, dataDir } = await demoEnvironment()
    const { database } = services
    await loadDemo({ services, dataDir, baseUrl })
    const [hierarchies] = await database.query(
      `select count(*)::int as children, count(distinct parent_account_id)::int as parents,
         count(*) filter (where exists (select 1 from crm.account g where g.id = a.parent_account_id and g.parent_account_id is not null))::int as grandchildren
       from crm.account a where parent_account_id is not null`,
    )
    expect(hierarchies).toEqual({ children: 72, parents: 37, grandchildren: 15 })
  })
})

describe('bannerOf', () => {
  it('contains the URLs, a sign-in and a key', async () => {
    const { services, dataDir } = await demoEnvironment()
    const demo = await loadDemo({ services, dataDir, baseUrl })
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
