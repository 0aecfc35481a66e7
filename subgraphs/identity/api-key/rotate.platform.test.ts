import { describe, expect, it } from 'vitest'
import { parseApiKey } from '../../kernel/credentials/public.ts'
import type { Caller } from '../../kernel/context.ts'
import { useIdentity, type AnswerPart } from '../identity.fixture.ts'
import { credentialSource } from '../public.ts'
import { aKeyOf, aSignedInUser, keyFields } from './api-key.fixture.ts'

const world = useIdentity()
const hour = 3_600_000
const rotating = `mutation($id: ID!, $hours: Int!) { apiKeyRotate(id: $id, overlapHours: $hours) { ${keyFields} } }`
const reading = `query($id: ID!) { apiKey(id: $id) { ${keyFields} } }`
const updating = `mutation($id: ID!, $input: ApiKeyUpdateInput!) { apiKeyUpdate(id: $id, input: $input) { ${keyFields} } }`
const revoking = `mutation($id: ID!) { apiKeyRevoke(id: $id) { ${keyFields} } }`
const deleting = 'mutation($id: ID!) { apiKeyDelete(id: $id) }'

const rotate = async (caller: Caller, id: string, hours = 24) => world.run(rotating, { id, hours }, caller)
const rotated = async (caller: Caller, id: string, hours = 24): Promise<AnswerPart> =>
  (await rotate(caller, id, hours)).data.apiKeyRotate!
const read = async (caller: Caller, id: string): Promise<AnswerPart> =>
  (await world.run(reading, { id }, caller)).data.apiKey!
const find = (secret: string) => credentialSource(world.services.database).findApiKey(parseApiKey(secret)!.hash)
const later = (ms: number) => new Date(world.now.getTime() + ms)
const entriesOf = (id: string) =>
  world.query<{ action: string; before: object | null; after: object | null }>(
    `select action, actor_id, ip, user_agent, before, after from identity.audit_entry where target_id = $1 order by id`,
    [id],
  )

describe('apiKeyRotate', () => {
  it('returns a new secret once and changes no setting', async () => {
    const caller = await aSignedInUser(world)
    const settings = {
      scopes: ['READ_CASES', 'WRITE_LEADS'],
      rateLimit: { limit: 7, window: 'MINUTE' },
      ipAllowList: ['10.0.0.0/8'],
    }
    const { secret, ...key } = (await aKeyOf(world, caller, settings)) as unknown as Readonly<
      Record<'id' | 'secret', string>
    >
    const after = await rotated(caller, key.id)
    expect(after.secret).not.toBe(secret)
    expect(after).toEqual({
      ...key,
      secret: after.secret,
      prefix: after.secret!.slice(0, 12),
      status: 'ROTATING',
      previousSecretExpiresAt: later(24 * hour).toISOString(),
      version: 2,
    })
    expect((await read(caller, key.id)).secret).toBe(null)
    expect(await find(after.secret!)).toMatchObject({ id: key.id, previousSecretExpiresAt: null })
    expect(await find(secret)).toMatchObject({ id: key.id, previousSecretExpiresAt: later(24 * hour), ...settings })
    expect(await world.eventsOf(key.id)).toEqual(['api_key.created', 'api_key.updated', 'api_key.rotated'])
  })

  it('is ROTATING until the millisecond at which the overlap ends', async () => {
    const caller = await aSignedInUser(world)
    const { id } = await aKeyOf(world, caller)
    await rotated(caller, id!, 1)
    world.advanceClock(hour - 1)
    expect((await read(caller, id!)).status).toBe('ROTATING')
    world.advanceClock(1)
    expect((await read(caller, id!)).status).toBe('ACTIVE')
  })

  it('ends the former secret at once with an overlap of 0, and never accepts it as the current one', async () => {
    const caller = await aSignedInUser(world)
    const { id, secret } = await aKeyOf(world, caller)
    expect(await rotated(caller, id!, 0)).toMatchObject({
      status: 'ACTIVE',
      previousSecretExpiresAt: later(0).toISOString(),
    })
    expect((await find(secret!))!.previousSecretExpiresAt).toEqual(later(0))
  })

  it('keeps one former secret: rotating within an overlap ends the older one', async () => {
    const caller = await aSignedInUser(world)
    const { id, secret: first } = await aKeyOf(world, caller)
    const { secret: second } = await rotated(caller, id!, 168)
    world.advanceClock(hour)
    const { secret: third } = await rotated(caller, id!, 2)
    expect((await find(first!))!.previousSecretExpiresAt).toEqual(later(0))
    expect((await find(second!))!.previousSecretExpiresAt).toEqual(later(2 * hour))
    expect((await find(third!))!.previousSecretExpiresAt).toBe(null)
  })

  it('leaves exactly one current secret after 50 concurrent rotations, and one in its overlap', async () => {
    const caller = await aSignedInUser(world)
    const { id, secret } = await aKeyOf(world, caller)
    const answers = await Promise.all(Array.from({ length: 50 }, () => rotate(caller, id!)))
    expect(answers.flatMap(({ codes }) => codes)).toEqual([])
    const keys = answers.map(({ data }) => data.apiKeyRotate!)
    expect(new Set(keys.map((key) => key.secret)).size).toBe(50)
    expect(keys.map(({ version }) => Number(version)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 2),
    )

    const ends = await Promise.all([secret!, ...keys.map((key) => key.secret!)].map(find))
    const endOf = (record: (typeof ends)[number]) => record!.previousSecretExpiresAt
    expect(ends.filter((record) => endOf(record) === null)).toHaveLength(1)
    expect(ends.filter((record) => endOf(record)?.getTime() === later(24 * hour).getTime())).toHaveLength(1)
    expect(ends.filter((record) => endOf(record)?.getTime() === world.now.getTime())).toHaveLength(49)
    const current = keys.find(({ version }) => Number(version) === 51)!
    expect(endOf(await find(current.secret!))).toBe(null)
    expect(await read(caller, id!)).toMatchObject({ prefix: current.prefix, status: 'ROTATING', version: 51 })
    expect(await entriesOf(id!)).toHaveLength(51)
  })

  it.each([-1, 169])('refuses an overlap of %d hours with 400 and changes nothing', async (hours) => {
    const caller = await aSignedInUser(world)
    const { id } = await aKeyOf(world, caller)
    const { codes, errors } = await rotate(caller, id!, hours)
    expect(codes).toEqual(['VALIDATION_FAILED'])
    expect(errors[0]!.extensions!.errors).toMatchObject([{ path: 'overlapHours', code: 'OUT_OF_RANGE' }])
    expect((await read(caller, id!)).version).toBe(1)
  })

  it('refuses a revoked key and an expired one with 409 and changes nothing', async () => {
    const caller = await aSignedInUser(world)
    const { id: revoked } = await aKeyOf(world, caller)
    await world.run(revoking, { id: revoked }, caller)
    const { id: expired } = await aKeyOf(world, caller, { expiresAt: later(hour).toISOString() })
    world.advanceClock(hour)
    for (const [id, version] of [
      [revoked, 2],
      [expired, 1],
    ] as const) {
      expect((await rotate(caller, id!)).codes).toEqual(['INVALID_STATE'])
      expect((await read(caller, id!)).version).toBe(version)
    }
    expect(
      await world.query('select 1 from identity.api_key_former_secret where api_key_id = any($1)', [
        [revoked, expired],
      ]),
    ).toEqual([])
  })

  it('is allowed to the owner of the key, to owners and admins, but no admin gets the secret of an owner', async () => {
    const owner = await aSignedInUser(world, 'OWNER')
    const admin = await aSignedInUser(world, 'ADMIN', owner.organizationId)
    const member = await aSignedInUser(world, 'MEMBER', owner.organizationId)
    const [ofOwner, ofMember] = [(await aKeyOf(world, owner)).id!, (await aKeyOf(world, member)).id!]
    expect((await rotate(admin, ofMember)).codes).toEqual([])
    expect((await rotate(owner, ofMember)).codes).toEqual([])
    expect((await rotate(member, ofOwner)).codes).toEqual(['NOT_FOUND'])
    expect((await rotate(await aSignedInUser(world, 'OWNER'), ofOwner)).codes).toEqual(['NOT_FOUND'])
    expect((await rotate(admin, ofOwner)).codes).toEqual(['PERMISSION_DENIED'])
    expect((await rotate({ ...member, role: 'READ_ONLY' }, ofMember)).codes).toEqual(['PERMISSION_DENIED'])
    expect(await read(owner, ofOwner)).toMatchObject({ status: 'ACTIVE', version: 1 })
    expect(await read(owner, ofMember)).toMatchObject({ status: 'ROTATING', version: 3 })
  })

  it('stores no secret in any table', async () => {
    const caller = await aSignedInUser(world)
    const { id, secret } = await aKeyOf(world, caller)
    const secrets = [secret!, (await rotated(caller, id!)).secret!, (await rotated(caller, id!)).secret!]
    const tables = await world.query<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_schema in ('kernel', 'identity') and table_type = 'BASE TABLE'`,
    )
    for (const { name } of tables) {
      const rows = await world.query(`select 1 from ${name} t, unnest($1::text[]) s where strpos(t::text, s) > 0`, [
        secrets,
      ])
      expect([name, rows]).toEqual([name, []])
    }
  })
})

describe('apiKeyRevoke of a key in rotation', () => {
  it('ends both secrets at once', async () => {
    const caller = await aSignedInUser(world)
    const { id, secret } = await aKeyOf(world, caller)
    const { secret: next } = await rotated(caller, id!)
    world.advanceClock(hour)
    const { data } = await world.run(revoking, { id }, caller)
    expect(data.apiKeyRevoke).toMatchObject({
      status: 'REVOKED',
      revokedAt: later(0).toISOString(),
      previousSecretExpiresAt: later(0).toISOString(),
    })
    for (const one of [secret!, next!]) expect((await find(one))!.revokedAt).toEqual(later(0))
  })
})

describe('apiKeyRevoke of the former secret only', () => {
  const revokingFormer = `mutation($id: ID!) { apiKeyRevoke(id: $id, formerOnly: true) { ${keyFields} } }`

  it('ends the former secret before its overlap, and the key keeps working', async () => {
    const caller = await aSignedInUser(world)
    const { id, secret } = await aKeyOf(world, caller)
    const { secret: next } = await rotated(caller, id!)
    world.advanceClock(hour)
    const { data } = await world.run(revokingFormer, { id }, caller)
    expect(data.apiKeyRevoke).toMatchObject({
      status: 'ACTIVE',
      revokedAt: null,
      previousSecretExpiresAt: later(0).toISOString(),
      version: 3,
    })
    expect(await find(secret!)).toMatchObject({ revokedAt: null, previousSecretExpiresAt: later(0) })
    expect(await find(next!)).toMatchObject({ revokedAt: null, previousSecretExpiresAt: null })
    expect(await world.eventsOf(id!)).toEqual([
      'api_key.created',
      'api_key.updated',
      'api_key.rotated',
      'api_key.updated',
    ])
    expect((await entriesOf(id!)).at(-1)).toMatchObject({
      action: 'api_key.revoked',
      before: { previousSecretExpiresAt: later(23 * hour).toISOString() },
      after: { previousSecretExpiresAt: later(0).toISOString() },
    })
  })

  it('changes nothing of a key without a former secret, with an ended overlap, or revoked', async () => {
    const caller = await aSignedInUser(world)
    const [never, over, revoked] = [
      await aKeyOf(world, caller),
      await aKeyOf(world, caller),
      await aKeyOf(world, caller),
    ]
    await rotated(caller, over.id!, 1)
    world.advanceClock(hour)
    await rotated(caller, revoked.id!)
    await world.run(revoking, { id: revoked.id }, caller)
    for (const { id } of [never, over, revoked]) {
      const before = await read(caller, id!)
      expect((await world.run(revokingFormer, { id }, caller)).data.apiKeyRevoke).toEqual(before)
      expect(await read(caller, id!)).toEqual(before)
    }
  })
})

describe('the audit log', () => {
  it('has every create, update, rotate, revoke and delete of a key, with actor, address and change, and no secret', async () => {
    const caller = await aSignedInUser(world, 'ADMIN')
    const { id, prefix } = await aKeyOf(world, caller)
    await world.run(updating, { id, input: { name: 'Nightly' } }, caller)
    await world.run(updating, { id, input: { name: 'Nightly' } }, caller)
    const next = await rotated(caller, id!)
    await world.run(revoking, { id }, caller)
    await world.run(revoking, { id }, caller)
    await world.run(deleting, { id }, caller)
    const who = { actor_id: caller.userId, ip: '203.0.113.7', user_agent: 'vitest' }
    const entries = await entriesOf(id!)
    const now = later(0).toISOString()
    expect(entries).toEqual([
      { ...who, action: 'api_key.created', before: null, after: expect.objectContaining({ name: 'Sync', prefix }) },
      { ...who, action: 'api_key.updated', before: { name: 'Sync' }, after: { name: 'Nightly' } },
      {
        ...who,
        action: 'api_key.rotated',
        before: { prefix, previousSecretExpiresAt: null },
        after: { prefix: next.prefix, previousSecretExpiresAt: later(24 * hour).toISOString() },
      },
      {
        ...who,
        action: 'api_key.revoked',
        before: { revokedAt: null, previousSecretExpiresAt: later(24 * hour).toISOString() },
        after: { revokedAt: now, previousSecretExpiresAt: now },
      },
      { ...who, action: 'api_key.deleted', before: expect.objectContaining({ name: 'Nightly' }), after: null },
    ])
    expect(Object.keys(entries[0]!.after!).sort()).toEqual([
      'expiresAt',
      'ipAllowList',
      'name',
      'ownerId',
      'prefix',
      'previousSecretExpiresAt',
      'rateLimit',
      'revokedAt',
      'scopes',
    ])
  })

  it('has no entry of a change that was refused', async () => {
    const caller = await aSignedInUser(world)
    const { id } = await aKeyOf(world, caller)
    await world.run(updating, { id, input: { scopes: ['NONE'] } }, caller)
    await rotate(caller, id!, 169)
    expect((await entriesOf(id!)).map(({ action }) => action)).toEqual(['api_key.created'])
  })
})

describe('expiresSoon', () => {
  it('is true for keys that work and expire within 7 days', async () => {
    const caller = await aSignedInUser(world)
    const { id } = await aKeyOf(world, caller, { expiresAt: later(8 * 24 * hour).toISOString() })
    const { id: endless } = await aKeyOf(world, caller, { expiresAt: null })
    const flags = async () =>
      (await Promise.all([id!, endless!].map((one) => read(caller, one)))).map((key) => key.expiresSoon)
    world.advanceClock(24 * hour - 1)
    expect(await flags()).toEqual([false, false])
    world.advanceClock(1)
    expect(await flags()).toEqual([true, false])
    world.advanceClock(7 * 24 * hour)
    expect([await flags(), (await read(caller, id!)).status]).toEqual([[false, false], 'EXPIRED'])
    await world.run(updating, { id, input: { expiresAt: later(hour).toISOString() } }, caller)
    expect(await flags()).toEqual([true, false])
    await world.run(revoking, { id }, caller)
    expect(await flags()).toEqual([false, false])
  })
})
