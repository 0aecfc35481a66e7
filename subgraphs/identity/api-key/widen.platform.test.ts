import { describe, expect, it } from 'vitest'
import type { Caller } from '../../kernel/context.ts'
import { useIdentity } from '../identity.fixture.ts'
import { aKeyOf, aSignedInUser, keyFields } from './api-key.fixture.ts'

const world = useIdentity()
const updating = `mutation($id: ID!, $input: ApiKeyUpdateInput!) { apiKeyUpdate(id: $id, input: $input) { ${keyFields} } }`
const ending = (which: string) => `mutation($id: ID!) { ${which}(id: $id) ${which === 'apiKeyRevoke' ? '{ id }' : ''} }`
const update = async (caller: Caller, id: string, input: object) =>
  (await world.run(updating, { id, input }, caller)).codes

const narrow = {
  scopes: ['WRITE_ACCOUNTS', 'READ_CASES'],
  rateLimit: { limit: 100, window: 'HOUR' },
  ipAllowList: ['10.0.0.0/16', '203.0.113.7'],
  expiresAt: '2027-02-01T00:00:00.000Z',
}

const wider: readonly (readonly [string, object])[] = [
  ['a scope more', { scopes: ['READ_CASES', 'READ_LEADS'] }],
  ['WRITE for READ', { scopes: ['WRITE_CASES'] }],
  ['every scope', { scopes: ['*'] }],
  ['every address', { ipAllowList: [] }],
  ['no list', { ipAllowList: null }],
  ['an address more', { ipAllowList: ['10.0.0.1', '203.0.113.8'] }],
  ['a wider block', { ipAllowList: ['10.0.0.0/15'] }],
  ['a later end', { expiresAt: '2027-02-01T00:00:00.001Z' }],
  ['no end', { expiresAt: null }],
  ['more requests', { rateLimit: { limit: 101, window: 'HOUR' } }],
  ['as many requests more often', { rateLimit: { limit: 100, window: 'MINUTE' } }],
  ['wider beside what is narrower', { scopes: ['READ_CASES'], expiresAt: null }],
]

const narrower: readonly (readonly [string, object])[] = [
  ['a name', { name: 'Nightly' }],
  ['a scope less', { scopes: ['READ_CASES'] }],
  ['READ for WRITE', { scopes: ['READ_ACCOUNTS'] }],
  ['an address less', { ipAllowList: ['10.0.0.0/16'] }],
  ['a smaller block', { ipAllowList: ['10.0.4.0/24', '10.0.5.1'] }],
  ['an earlier end', { expiresAt: '2027-01-20T00:00:00.000Z' }],
  ['fewer requests', { rateLimit: { limit: 99, window: 'HOUR' } }],
  ['as many requests less often', { rateLimit: { limit: 100, window: 'DAY' } }],
  ['the same', narrow],
]

describe("an owner's key", () => {
  it.each(wider)('cannot get %s from an admin, but from owners', async (_, input) => {
    const owner = await aSignedInUser(world, 'OWNER')
    const admin = await aSignedInUser(world, 'ADMIN', owner.organizationId)
    const { id, version } = await aKeyOf(world, owner, narrow)
    expect(await update(admin, id!, input)).toEqual(['PERMISSION_DENIED'])
    const kept = await world.query('select scopes, version from identity.api_key where id = $1', [id])
    expect(kept).toEqual([{ scopes: narrow.scopes, version }])
    expect(await update(await aSignedInUser(world, 'OWNER', owner.organizationId), id!, input)).not.toContain(
      'PERMISSION_DENIED',
    )
  })

  it.each(narrower)('can get %s from an admin', async (_, input) => {
    const owner = await aSignedInUser(world, 'OWNER')
    const admin = await aSignedInUser(world, 'ADMIN', owner.organizationId)
    const { id } = await aKeyOf(world, owner, narrow)
    expect(await update(admin, id!, input)).toEqual([])
  })

  it.each(['apiKeyRevoke', 'apiKeyDelete'])('can be ended by an admin: %s', async (which) => {
    const owner = await aSignedInUser(world, 'OWNER')
    const admin = await aSignedInUser(world, 'ADMIN', owner.organizationId)
    const { id } = await aKeyOf(world, owner, narrow)
    expect((await world.run(ending(which), { id }, admin)).codes).toEqual([])
  })
})

it('admins may extend their own keys, and keys of users who are not owners', async () => {
  const admin = await aSignedInUser(world, 'ADMIN')
  for (const role of ['ADMIN', 'MANAGER', 'MEMBER'] as const) {
    const holder = await aSignedInUser(world, role, admin.organizationId)
    const { id } = await aKeyOf(world, holder, narrow)
    expect(await update(admin, id!, { scopes: ['*'], ipAllowList: [], expiresAt: null })).toEqual([])
  }
  const { id } = await aKeyOf(world, admin, narrow)
  expect(await update(admin, id!, { scopes: ['*'] })).toEqual([])
})
