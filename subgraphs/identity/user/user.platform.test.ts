import { describe, expect, it } from 'vitest'
import { newSession } from '../../../test/requests/session.ts'
import { sceneOf, type Scene } from '../audit/scene.fixture.ts'
import type { Caller } from '../../kernel/context.ts'
import { anonymous, claimsOf, goodPassword, useIdentity } from '../identity.fixture.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, systemContext } from '../../kernel/request.ts'
import { addUser } from './user.actions.ts'

const world = useIdentity()

/** The latest event of a user as administrators see the user now, and whether its statement wrote the entry and the given tables. */
async function lastChange(id: string) {
  const [found] = await world.query<{ record: object; seen: object; action: string; statement: object }>(
    `select e.data -> 'record' as record, a.action,
       jsonb_build_object('user', (u.xmin::text, u.cmin::text) = (e.xmin::text, e.cmin::text),
         'person', (p.xmin::text, p.cmin::text) = (e.xmin::text, e.cmin::text)) as statement,
       (select jsonb_object_agg(name, to_jsonb(t) -> lower(regexp_replace(name, '([A-Z])', '_\\1', 'g')))
        from jsonb_object_keys(e.data -> 'record') name) as seen
     from kernel.event e
     join identity.audit_entry a on a.target_id = e.record_id::text and (a.xmin::text, a.cmin::text) = (e.xmin::text, e.cmin::text)
     join identity.admin_user t on t.id = e.record_id join identity.app_user u on u.id = t.id
     join identity.person p on p.id = u.person_id
     where e.record_id = $1 order by e.id desc limit 1`,
    [id],
  )
  const { record, seen, action, statement } = found!
  const timesOf = (shown: object) =>
    Object.fromEntries(
      Object.entries(shown).map(([name, value]) => [name, name.endsWith('At') ? Date.parse(String(value)) : value]),
    )
  expect(timesOf(record)).toEqual(timesOf(seen))
  return { action, ...statement }
}

/** Runs a mutation and answers with what it wrote. */
async function changeBy(scene: Scene, id: string, mutation: string, caller = scene.caller) {
  world.pass(1000)
  const { codes } = await world.run(`mutation { ${mutation} }`, {}, caller)
  expect(codes).toEqual([])
  return lastChange(id)
}

/** The mutation by which the user with the new address of the scene accepts an invitation. */
async function acceptance(scene: Scene, userId: string): Promise<string> {
  const data = { userId, role: 'MEMBER', invitedById: scene.caller.userId }
  const token = await scene.mailed('INVITATION', data, scene.newEmail)
  return `authAcceptPartnerInvite(input: {token: "${token}", password: "${goodPassword}", firstName: "A", lastName: "B"}) { accessToken }`
}

async function provisioned(scene: Scene, directory: Caller): Promise<string> {
  const mutation = `mutation { scimUserCreate(input: {userName: "${scene.newEmail}", displayName: "Ann"}) { id } }`
  const { scimUserCreate } = await scene.run(mutation, {}, directory)
  return String(scimUserCreate!['id'])
}

const user = { user: true, person: false }
const person = { user: false, person: true }
const both = { user: true, person: true }

describe('a change of a user', () => {
  it('writes the rows of both tables, its event and its audit entry in one statement', async () => {
    const scene = await sceneOf(world)
    const id = await scene.invited()
    expect(await lastChange(id)).toMatchObject({ action: 'user.created', person: true })
    const accepted = await changeBy(scene, id, await acceptance(scene, id), anonymous)
    expect(accepted).toEqual({ action: 'user.accepted', ...both })
    const { accessToken } = await newSession(world as never, { organizationId: scene.organizationId, userId: id })
    const member = await world.callerOf(String(claimsOf(accessToken)['sid']))
    const profile = 'authUpdateProfile(input: {timezone: "Europe/Paris", firstName: "Eve"}) { id }'
    expect(await changeBy(scene, id, profile, member)).toEqual({ action: 'user.updated', ...person })
    const update = `userUpdate(id: "${id}", input: {role: MANAGER}) { id }`
    expect(await changeBy(scene, id, update)).toEqual({ action: 'user.updated', ...user })
  })

  it('is announced as administrators see the user, also before and after the person comes itself', async () => {
    const scene = await sceneOf(world)
    const directory = await scene.directory()
    const id = await provisioned(scene, directory)
    expect(await lastChange(id)).toEqual({ action: 'user.created', ...both })
    const link = `authMagicLink(token: "${await scene.mailed('MAGIC_LINK', {}, scene.newEmail)}") { accessToken }`
    expect(await changeBy(scene, id, link, anonymous)).toEqual({ action: 'user.updated', ...user })
    const renamed = `scimUserUpdate(id: "${id}", input: {givenName: "Bo", externalId: "7"}) { id }`
    expect(await changeBy(scene, id, renamed, directory)).toEqual({ action: 'user.updated', ...user })
    const elsewhere = await world.aUser((await world.anOrganization()).id)
    for (const email of [elsewhere.email, `other-${newId()}@example.com`]) {
      const replaced = `scimUserUpdate(id: "${id}", input: {userName: "${email}"}) { id }`
      expect(await changeBy(scene, id, replaced, directory)).toMatchObject({ action: 'user.updated' })
    }
  })

  it('that only gives another id of the directory has an audit entry and no event', async () => {
    const scene = await sceneOf(world)
    const directory = await scene.directory()
    const id = await provisioned(scene, directory)
    await scene.run(`mutation { scimUserUpdate(id: "${id}", input: {externalId: "7"}) { id } }`, {}, directory)
    expect(await world.eventsOf(id)).toEqual(['user.created'])
    const [, entry] = await world.query(
      'select action, before, after from identity.audit_entry where target_id = $1 order by id',
      [id],
    )
    expect(entry).toEqual({ action: 'user.updated', before: { externalId: null }, after: { externalId: '7' } })
  })

  it('is made for one person when several organizations add the same address at the same time', async () => {
    const email = `shared-${newId()}@example.com`
    const names = { name: 'Ann', firstName: null, lastName: null }
    const organizations = await Promise.all(Array.from({ length: 4 }, () => world.anOrganization()))
    const added = organizations.map(({ id: organizationId }) =>
      inTransaction(systemContext(world.services, organizationId), (ctx) =>
        addUser(ctx, {
          ...names,
          id: newId(),
          organizationId,
          email,
          role: 'MEMBER',
          visibility: 'OWN',
          passwordHash: null,
          knownAs: names,
        }),
      ),
    )
    expect((await Promise.all(added)).map((each) => each.email)).toEqual([email, email, email, email])
  })

  it('of who comes back is of the same user, with the id and the times of before', async () => {
    const scene = await sceneOf(world)
    const directory = await scene.directory()
    const id = await provisioned(scene, directory)
    await scene.run(`mutation { scimUserDelete(id: "${id}") }`, {}, directory)
    world.pass(1000)
    expect(await provisioned(scene, directory)).toBe(id)
    expect(await lastChange(id)).toEqual({ action: 'user.created', ...user })
  })

  it('is announced in every organization that the person belongs to, when it accepts an invitation to another', async () => {
    const scene = await sceneOf(world)
    const home = await world.anOrganization()
    const member = await world.aUser(home.id, { email: scene.newEmail, password: goodPassword })
    const accepted = await acceptance(scene, await scene.invited())
    expect(await changeBy(scene, member.id, accepted, anonymous)).toEqual({ action: 'user.updated', ...person })
    const [event] = await world.query<{ data: object }>(
      'select data from kernel.event where record_id = $1 order by id desc limit 1',
      [member.id],
    )
    expect(event!.data).toMatchObject({ changedFields: ['emailVerified'], actorId: member.id })
  })
})
