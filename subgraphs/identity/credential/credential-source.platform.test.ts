import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { newApiKey, parseApiKey } from '../../kernel/credentials/public.ts'
import { newId } from '../../kernel/ids.ts'
import { useIdentity } from '../identity.fixture.ts'
import {
  createApiKey,
  createTeam,
  credentialSource,
  deactivateUser,
  removeUser,
  resumeOrganization,
  suspendOrganization,
  updateUser,
} from '../public.ts'

const world = useIdentity()

async function aKey(visibility: 'OWN' | 'TEAM' | 'ALL' = 'ALL') {
  const { id: organizationId } = await world.anOrganization()
  const owner = await world.aUser(organizationId, { visibility })
  const key = await createApiKey(world.services, organizationId, {
    ownerId: owner.id,
    name: 'Sync',
    scopes: ['READ_CASES'],
  })
  const find = () => credentialSource(world.services.database).findApiKey(parseApiKey(key.secret)!.hash)
  return { organizationId, ownerId: owner.id, key, find }
}

describe('findApiKey', () => {
  it('returns the current key and owner', async () => {
    const { organizationId, ownerId, key, find } = await aKey()
    expect(await find()).toEqual({
      id: key.id,
      organizationId,
      ownerId,
      scopes: ['READ_CASES'],
      rateLimit: { limit: 1000, window: 'HOUR' },
      ipAllowList: [],
      expiresAt: new Date(world.now.getTime() + 90 * 86_400_000),
      revokedAt: null,
      previousSecretExpiresAt: null,
      organizationSuspended: false,
      ownerActive: true,
      ownerInOrganization: true,
      role: 'MEMBER',
      visibility: 'ALL',
      ownerIds: null,
      fields: null,
      entitlements: [],
    })
    await updateUser(world.services, organizationId, ownerId, { role: 'READ_ONLY', visibility: 'OWN' })
    expect(await find()).toMatchObject({ role: 'READ_ONLY', visibility: 'OWN', ownerIds: [ownerId] })
  })

  it('gives TEAM visibility of the members of all teams of the owner, including the owner, and of no other user', async () => {
    const { organizationId, ownerId, find } = await aKey('TEAM')
    expect((await find())!.ownerIds).toEqual([ownerId])
    const [ann, ben, cleo] = [
      await world.aUser(organizationId),
      await world.aUser(organizationId),
      await world.aUser(organizationId),
    ]
    await createTeam(world.services, organizationId, { name: 'North', memberIds: [ownerId, ann.id] })
    await createTeam(world.services, organizationId, { name: 'East', memberIds: [ownerId, ann.id, ben.id] })
    await createTeam(world.services, organizationId, { name: 'South', memberIds: [ben.id, cleo.id] })
    expect((await find())!.ownerIds!.toSorted()).toEqual([ownerId, ann.id, ben.id].sort())
  })

  it('reports a suspended organization, a deactivated owner and an owner who left', async () => {
    const { organizationId, ownerId, find } = await aKey()
    await suspendOrganization(world.services, organizationId)
    expect(await find()).toMatchObject({ organizationSuspended: true, ownerActive: true, ownerInOrganization: true })
    await resumeOrganization(world.services, organizationId)
    await deactivateUser(world.services, organizationId, ownerId)
    expect(await find()).toMatchObject({ organizationSuspended: false, ownerActive: false, ownerInOrganization: true })
    await removeUser(world.services, organizationId, ownerId)
    expect(await find()).toMatchObject({ ownerInOrganization: false })
  })

  it('finds no key for another secret', async () => {
    expect(await credentialSource(world.services.database).findApiKey(newApiKey().hash)).toBe(null)
  })
})

describe('findSession', () => {
  it.each([newId(), 'none'])('finds no session %s', async (id) => {
    expect(await credentialSource(world.services.database).findSession(id)).toBe(null)
  })
})

describe('credentials_changed', () => {
  it('is sent when a change of the rights of a credential commits, and not when the credential is used', async () => {
    const { organizationId, ownerId, key } = await aKey()
    const listener = new pg.Client({ connectionString: world.fresh.url })
    const notified: string[] = []
    listener.on('notification', ({ payload }) => void notified.push(payload!))
    await listener.connect()
    onTestFinished(() => listener.end())
    await listener.query('listen credentials_changed')

    const { services } = world
    const changes = [
      () => updateUser(services, organizationId, ownerId, { role: 'MANAGER' }),
      () => createTeam(services, organizationId, { name: 'North', memberIds: [ownerId] }),
      () => suspendOrganization(services, organizationId),
      () => deactivateUser(services, organizationId, ownerId),
      () => removeUser(services, organizationId, ownerId),
      () => world.query('update identity.api_key set revoked_at = now() where id = $1', [key.id]),
    ]
    for (const [index, change] of changes.entries()) {
      await change()
      await vi.waitFor(() => expect(notified).toEqual(Array<string>(index + 1).fill(organizationId)), {
        interval: 5,
        timeout: 10_000,
      })
    }
    await world.query('update identity.api_key set request_count = request_count + 1 where id = $1', [key.id])
    await world.query("select pg_notify('credentials_changed', 'last')")
    await vi.waitFor(() => expect(notified.slice(changes.length)).toEqual(['last']), { interval: 5, timeout: 10_000 })
  })
})
