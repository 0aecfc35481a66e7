import { describe, expect, it } from 'vitest'
import type { Caller } from '../../kernel/context.ts'
import { useIdentity } from '../identity.fixture.ts'
import { aKeyOf, aSignedInUser, keyFields } from './api-key.fixture.ts'

const world = useIdentity()
const updating = `mutation($id: ID!, $input: ApiKeyUpdateInput!) { apiKeyUpdate(id: $id, input: $input) { ${keyFields} } }`
const ending = (which: string) => `mutation($id: ID!) { ${which}(id: $id) ${which === 'apiKeyRevoke' ? '{ id }' : ''} }`
const update = async (caller: Caller, id: string, input: object) =>
  (await world.run(updating, { id, input }, caller)).codes

const rights = {
  scopes: ['WRITE_ACCOUNTS', 'READ_CASES'],
  rateLimit: { limit: 100, window: 'HOUR' },
  ipAllowList: ['10.0.0.0/16', '203.0.113.7'],
  expiresAt: '2027-02-01T00:00:00.000Z',
}

const extending: readonly (readonly [string, object])[] = [
  ['another scope', { scopes: ['READ_CASES', 'READ_LEADS'] }],
  ['WRITE instead of READ', { scopes: ['WRITE_CASES'] }],
  ['every scope', { scopes: ['*'] }],
  ['an empty address list', { ipAllowList: [] }],
  ['null as address list', { ipAllowList: null }],
  ['another address', { ipAllowList: ['10.0.0.1', '203.0.113.8'] }],
  ['a larger CIDR block', { ipAllowList: ['10.0.0.0/15'] }],
  ['a later expiry', { expiresAt: '2027-02-01T00:00:00.001Z' }],
  ['no expiry', { expiresAt: null }],
  ['a higher rate limit', { rateLimit: { limit: 101, window: 'HOUR' } }],
  ['the same rate limit in a shorter window', { rateLimit: { limit: 100, window: 'MINUTE' } }],
  ['an extension together with a restriction', { scopes: ['READ_CASES'], expiresAt: null }],
]

const restricting: readonly (readonly [string, object])[] = [
  ['another name', { name: 'Nightly' }],
  ['one scope less', { scopes: ['READ_CASES'] }],
  ['READ instead of WRITE', { scopes: ['READ_ACCOUNTS'] }],
  ['one address less', { ipAllowList: ['10.0.0.0/16'] }],
  ['a smaller CIDR block', { ipAllowList: ['10.0.4.0/24', '10.0.5.1'] }],
  ['an earlier expiry', { expiresAt: '2027-01-20T00:00:00.000Z' }],
  ['a lower rate limit', { rateLimit: { limit: 99, window: 'HOUR' } }],
  ['the same rate limit in a longer window', { rateLimit: { limit: 100, window: 'DAY' } }],
  ['the same rights', rights],
]

describe("an owner's key", () => {
  it.each(extending)('cannot get %s from an admin, but can from an owner', async (_, input) => {
    const owner = await aSignedInUser(world, 'OWNER')
    const admin = await aSignedInUser(world, 'ADMIN', owner.organizationId)
    const { id, version } = await aKeyOf(world, owner, rights)
    expect(await update(admin, id!, input)).toEqual(['PERMISSION_DENIED'])
    const kept = await world.query('select scopes, version from identity.api_key where id = $1', [id])
    expect(kept).toEqual([{ scopes: rights.scopes, version }])
    expect(await update(await aSignedInUser(world, 'OWNER', owner.organizationId), id!, input)).not.toContain(
      'PERMISSION_DENIED',
    )
  })

  it.each(restricting)('can get %s from an admin', async (_, input) => {
    const owner = await aSignedInUser(world, 'OWNER')
    const admin = await aSignedInUser(world, 'ADMIN', owner.organizationId)
    const { id } = await aKeyOf(world, owner, rights)
    expect(await update(admin, id!, input)).toEqual([])
  })

  it.each(['apiKeyRevoke', 'apiKeyDelete'])('can be ended by an admin: %s', async (which) => {
    const owner = await aSignedInUser(world, 'OWNER')
    const admin = await aSignedInUser(world, 'ADMIN', owner.organizationId)
    const { id } = await aKeyOf(world, owner, rights)
    expect((await world.run(ending(which), { id }, admin)).codes).toEqual([])
  })
})

it('admins may extend their own keys, and keys of users who are not owners', async () => {
  const admin = await aSignedInUser(world, 'ADMIN')
  for (const role of ['ADMIN', 'MANAGER', 'MEMBER'] as const) {
    const holder = await aSignedInUser(world, role, admin.organizationId)
    const { id } = await aKeyOf(world, holder, rights)
    expect(await update(admin, id!, { scopes: ['*'], ipAllowList: [], expiresAt: null })).toEqual([])
  }
  const { id } = await aKeyOf(world, admin, rights)
  expect(await update(admin, id!, { scopes: ['*'] })).toEqual([])
})
