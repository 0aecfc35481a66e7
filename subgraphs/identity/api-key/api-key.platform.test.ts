import { describe, expect, it } from 'vitest'
import { parseApiKey } from '../../kernel/credentials/public.ts'
import type { Caller, Role } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { anonymous, useIdentity, type AnswerPart } from '../identity.fixture.ts'
import { credentialSource } from '../public.ts'

const world = useIdentity()
const fields = `id name prefix scopes rateLimit { limit window } ipAllowList expiresAt status previousSecretExpiresAt requestCount
  rateLimitHits lastUsedAt lastUsedIp ownerId version createdAt secret`
const creating = `mutation($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { ${fields} } }`
const reading = `query($id: ID!) { apiKey(id: $id) { ${fields} } }`
const listing = `query($search: String) { apiKeyList(search: $search) { data { id status } total } }`
const updating = `mutation($id: ID!, $input: ApiKeyUpdateInput!, $expectedVersion: Int) {
  apiKeyUpdate(id: $id, input: $input, expectedVersion: $expectedVersion) { ${fields} } }`
const revoking = `mutation($id: ID!) { apiKeyRevoke(id: $id) { ${fields} } }`
const deleting = 'mutation($id: ID!) { apiKeyDelete(id: $id) }'
const day = 86_400_000

async function aCaller(role: Role = 'MEMBER', organizationId?: string): Promise<Caller> {
  const organization = organizationId ?? (await world.anOrganization()).id
  const user = await world.aUser(organization, { role, visibility: 'ALL' })
  return {
    ...anonymous,
    kind: 'SESSION',
    organizationId: organization,
    userId: user.id,
    role,
    visibility: 'ALL',
    ownerIds: null,
    credentialId: newId(),
  }
}

const create = async (caller: Caller, input: object = {}) =>
  (await world.run(creating, { input: { name: 'Sync', scopes: ['READ_ACCOUNTS'], ...input } }, caller)).data
    .apiKeyCreate!
const problemsOf = async (caller: Caller, input: object) => {
  const { errors } = await world.run(creating, { input: { name: 'Sync', scopes: ['READ_ACCOUNTS'], ...input } }, caller)
  return (errors[0]!.extensions!.errors as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)
}
const later = (ms: number) => new Date(world.now.getTime() + ms).toISOString()

describe('apiKeyCreate', () => {
  it('returns the secret once, and stores its SHA-256', async () => {
    const caller = await aCaller()
    const { secret, id, ...key }: Readonly<Record<string, AnswerPart>> = await create(caller)
    expect(key).toEqual({
      name: 'Sync',
      prefix: String(secret).slice(0, 12),
      scopes: ['READ_ACCOUNTS'],
      rateLimit: { limit: 1000, window: 'HOUR' },
      ipAllowList: [],
      expiresAt: later(90 * day),
      status: 'ACTIVE',
      previousSecretExpiresAt: null,
      requestCount: 0,
      rateLimitHits: 0,
      lastUsedAt: null,
      lastUsedIp: null,
      ownerId: caller.userId,
      version: 1,
      createdAt: world.now.toISOString(),
    })
    expect((await world.run(reading, { id }, caller)).data.apiKey).toEqual({ id, ...key, secret: null })
    const { hash } = parseApiKey(secret!)!
    expect(await world.query('select secret_hash from identity.api_key where id = $1', [id])).toEqual([
      { secret_hash: hash },
    ])
    expect(await world.eventsOf(id!)).toEqual(['api_key.created'])
  })

  it('stores the secret in plain text in no table, not even in the answer of an Idempotency-Key, and replays it', async () => {
    const caller = await aCaller()
    const input = { name: 'Sync', scopes: ['*'] }
    const first = await world.run(creating, { input }, caller, 'key-1')
    const again = await world.run(creating, { input }, caller, 'key-1')
    expect(again.data).toEqual(first.data)
    const secret = first.data.apiKeyCreate!.secret!
    expect(secret).toMatch(/^ck_live_/)
    const tables = await world.query<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_schema in ('kernel', 'identity') and table_type = 'BASE TABLE'`,
    )
    for (const { name } of tables) {
      const rows = await world.query(`select 1 from ${name} t where strpos(t::text, $1) > 0`, [secret])
      expect([name, rows]).toEqual([name, []])
    }
  })

  it('accepts an expiry, null for never, and the limits of the key', async () => {
    const caller = await aCaller()
    const input = {
      expiresAt: null,
      rateLimit: { limit: 5, window: 'MINUTE' },
      ipAllowList: ['203.0.113.9', '2001:db8::/32', '10.0.0.0/8'],
    }
    expect(await create(caller, input)).toMatchObject(input)
    expect(await create(caller, { expiresAt: later(day) })).toMatchObject({ expiresAt: later(day) })
  })

  it('grants each scope once', async () => {
    expect((await create(await aCaller(), { scopes: ['READ_CASES', '*', 'READ_CASES'] })).scopes).toEqual([
      'READ_CASES',
      '*',
    ])
  })

  it.each([
    ['a scope that does not exist', { scopes: ['READ_ACCOUNTS', 'READ_EVERYTHING'] }, ['scopes.1 UNKNOWN_SCOPE']],
    [
      'legacy scopes',
      { scopes: ['read', 'write', 'WEBHOOKS'] },
      ['scopes.0 UNKNOWN_SCOPE', 'scopes.1 UNKNOWN_SCOPE', 'scopes.2 UNKNOWN_SCOPE'],
    ],
    ['no scope', { scopes: [] }, ['scopes EMPTY']],
    ['SESSION as a scope', { scopes: ['SESSION'] }, ['scopes.0 UNKNOWN_SCOPE']],
    ['a limit of 0', { rateLimit: { limit: 0, window: 'DAY' } }, ['rateLimit.limit OUT_OF_RANGE']],
    ['a limit above the maximum', { rateLimit: { limit: 1_000_001, window: 'DAY' } }, ['rateLimit.limit OUT_OF_RANGE']],
    [
      'entries that are not addresses',
      { ipAllowList: ['10.0.0.1', '10.0.0.0/33', 'localhost', '010.1.1.1'] },
      ['ipAllowList.1 NOT_AN_ADDRESS', 'ipAllowList.2 NOT_AN_ADDRESS', 'ipAllowList.3 NOT_AN_ADDRESS'],
    ],
    ['101 addresses', { ipAllowList: Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`) }, ['ipAllowList TOO_MANY']],
    ['an expiry that has passed', { expiresAt: '2027-01-10T12:00:00.000Z' }, ['expiresAt NOT_IN_FUTURE']],
    ['an empty name', { name: ' ' }, ['name EMPTY']],
  ])('refuses %s', async (_, input, problems) => {
    const caller = await aCaller()
    expect(await problemsOf(caller, input)).toEqual(problems)
    expect((await world.run(listing, {}, caller)).data.apiKeyList).toEqual({ data: [], total: 0 })
  })

  it('is refused to READ_ONLY users', async () => {
    const caller = await aCaller('READ_ONLY')
    expect((await world.run(creating, { input: { name: 'Sync', scopes: ['*'] } }, caller)).codes).toEqual([
      'PERMISSION_DENIED',
    ])
  })
})

describe('apiKeyList', () => {
  it('shows users their own keys, owners and admins those of the organization, and no keys of another organization', async () => {
    const owner = await aCaller('OWNER')
    const members = await Promise.all(
      (['ADMIN', 'MANAGER', 'MEMBER'] as const).map((role) => aCaller(role, owner.organizationId)),
    )
    const keys: string[] = []
    for (const caller of [owner, ...members]) keys.push((await create(caller)).id!)
    const seen = async (caller: Caller) => {
      const { apiKeyList } = (await world.run(listing, {}, caller)).data
      const { data, total } = apiKeyList as unknown as { data: { id: string }[]; total: number }
      expect(data).toHaveLength(total)
      return data.map(({ id }) => id).sort()
    }
    const [admin, manager, member] = members as [Caller, Caller, Caller]
    expect(await seen(owner)).toEqual(keys.toSorted())
    expect(await seen(admin)).toEqual(keys.toSorted())
    expect(await seen(manager)).toEqual([keys[2]])
    expect(await seen(member)).toEqual([keys[3]])
    expect(await seen(await aCaller('OWNER'))).toEqual([])
  })

  it('returns the status at the moment of the request', async () => {
    const caller = await aCaller()
    const { id } = await create(caller, { expiresAt: later(day) })
    const status = async () => (await world.run(reading, { id }, caller)).data.apiKey!.status
    expect(await status()).toBe('ACTIVE')
    world.advanceClock(day)
    expect(await status()).toBe('EXPIRED')
  })
})

describe('apiKeyUpdate', () => {
  it('changes the given fields, and lists them in the event', async () => {
    const caller = await aCaller()
    const { id } = await create(caller)
    const input = { rateLimit: { limit: 7, window: 'DAY' }, expiresAt: null }
    const { data } = await world.run(updating, { id, input, expectedVersion: 1 }, caller)
    expect(data.apiKeyUpdate).toMatchObject({
      ...input,
      name: 'Sync',
      scopes: ['READ_ACCOUNTS'],
      version: 2,
      secret: null,
    })
    const [event] = await world.query<{ data: { changedFields: string[] } }>(
      "select data from kernel.event where record_id = $1 and type = 'api_key.updated'",
      [id],
    )
    expect(event!.data.changedFields).toEqual(['rateLimit', 'expiresAt'])
    expect((await world.run(updating, { id, input: { name: 'x' }, expectedVersion: 1 }, caller)).codes).toEqual([
      'VERSION_CONFLICT',
    ])
  })

  it.each(['apiKeyUpdate', 'apiKeyRevoke', 'apiKeyDelete'])(
    '%s of a key that the caller does not manage answers 404 and changes nothing',
    async (which) => {
      const owner = await aCaller()
      const { id } = await create(owner)
      const others = [await aCaller('MANAGER', owner.organizationId), await aCaller('OWNER')]
      const document = { apiKeyUpdate: updating, apiKeyRevoke: revoking, apiKeyDelete: deleting }[which]!
      for (const other of others) {
        expect((await world.run(document, { id, input: { name: 'Mine' } }, other)).codes).toEqual(['NOT_FOUND'])
      }
      expect((await world.run(reading, { id }, owner)).data.apiKey).toMatchObject({
        name: 'Sync',
        status: 'ACTIVE',
        version: 1,
      })
      expect(await world.eventsOf(id!)).toEqual(['api_key.created'])
    },
  )
})

describe('apiKeyRevoke', () => {
  it('is final: the credential is revoked, revoking again changes nothing, changing it is refused', async () => {
    const caller = await aCaller()
    const { id, secret } = await create(caller)
    const { data } = await world.run(revoking, { id }, caller)
    expect(data.apiKeyRevoke).toMatchObject({ status: 'REVOKED', version: 2 })
    const { hash } = parseApiKey(secret!)!
    expect((await credentialSource(world.services.database).findApiKey(hash))!.revokedAt).toEqual(world.now)
    world.advanceClock(1000)
    expect((await world.run(revoking, { id }, caller)).data.apiKeyRevoke).toEqual(data.apiKeyRevoke)
    expect((await world.run(updating, { id, input: { name: 'x' } }, caller)).codes).toEqual(['INVALID_STATE'])
    expect(await world.eventsOf(id!)).toEqual(['api_key.created', 'api_key.updated', 'api_key.revoked'])
  })
})

describe('apiKeyDelete', () => {
  it('removes the key from lists, and the key no longer works', async () => {
    const admin = await aCaller('ADMIN')
    const member = await aCaller('MEMBER', admin.organizationId)
    const { id, secret } = await create(member)
    expect((await world.run(deleting, { id }, admin)).data.apiKeyDelete).toBe(id)
    expect((await world.run(reading, { id }, member)).codes).toEqual(['NOT_FOUND'])
    expect((await world.run(listing, {}, admin)).data.apiKeyList).toEqual({ data: [], total: 0 })
    expect(await credentialSource(world.services.database).findApiKey(parseApiKey(secret!)!.hash)).toBe(null)
    expect(await world.eventsOf(id!)).toEqual(['api_key.created', 'api_key.deleted'])
  })
})
