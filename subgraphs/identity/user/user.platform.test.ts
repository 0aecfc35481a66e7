import { describe, expect, it } from 'vitest'
import { newSession } from '../../../test/requests/session.ts'
import { aScenario, type Scenario } from '../audit/scenario.fixture.ts'
import type { Caller } from '../../kernel/context.ts'
import { anonymous, claimsOf, goodPassword, useIdentity } from '../identity.fixture.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, systemContext } from '../../kernel/request.ts'
import { addUser } from './user.actions.ts'

const world = useIdentity()

/** The latest event of a user as administrators see the user now, and whether its statement wrote the entry and the given tables. */
async function lastChange(id: string) {
  const [found] = await world.query<{ record: object; visible: object; action: string; statement: object }>(
    `select e.data -> 'record' as record, a.action,
       jsonb_build_object('user', (u.xmin::text, u.cmin::text) = (e.xmin::text, e.cmin::text),
         'person', (p.xmin::text, p.cmin::text) = (e.xmin::text, e.cmin::text)) as statement,
       (select jsonb_object_agg(name, to_jsonb(t) -> lower(regexp_replace(name, '([A-Z])', '_\\1', 'g')))
        from jsonb_object_keys(e.data -> 'record') name) as visible
     from kernel.event e
     join identity.audit_entry a on a.target_id = e.record_id::text and (a.xmin::text, a.cmin::text) = (e.xmin::text, e.cmin::text)
     join identity.admin_user t on t.id = e.record_id join identity.app_user u on u.id = t.id
     join identity.person p on p.id = u.person_id
     where e.record_id = $1 order by e.id desc limit 1`,
    [id],
  )
  const { record, visible, action, statement } = found!
  const timesOf = (shown: object) =>
    Object.fromEntries(
      Object.entries(shown).map(([name, value]) => [name, name.endsWith('At') ? Date.parse(String(value)) : value]),
    )
  expect(timesOf(record)).toEqual(timesOf(visible))
  return { action, ...statement }
}

/** Runs a mutation and returns the change that it wrote. */
async function changeBy(scenario: Scenario, id: string, mutation: string, caller = scenario.caller) {
  world.advanceClock(1000)
  const { codes } = await world.run(`mutation { ${mutation} }`, {}, caller)
  expect(codes).toEqual([])
  return lastChange(id)
}

/** The mutation with which the person of the scenario's new address accepts an invitation. */
async function acceptMutation(scenario: Scenario, userId: string): Promise<string> {
  const data = { userId, role: 'MEMBER', invitedById: scenario.caller.userId }
  const token = await scenario.mailed('INVITATION', data, scenario.newEmail)
  return `authAcceptPartnerInvite(input: {token: "${token}", password: "${goodPassword}", firstName: "A", lastName: "B"}) { accessToken }`
}

async function provisionUser(scenario: Scenario, directory: Caller): Promise<string> {
  const mutation = `mutation { scimUserCreate(input: {userName: "${scenario.newEmail}", displayName: "Ann"}) { id } }`
  const { scimUserCreate } = await scenario.run(mutation, {}, directory)
  return String(scimUserCreate!['id'])
}

const user = { user: true, person: false }
const person = { user: false, person: true }
const both = { user: true, person: true }

describe('a change of a user', () => {
  it('writes the rows of both tables, its event and its audit entry in one statement', async () => {
    const scenario = await aScenario(world)
    const id = await scenario.invited()
    expect(await lastChange(id)).toMatchObject({ action: 'user.created', person: true })
    const accepted = await changeBy(scenario, id, await acceptMutation(scenario, id), anonymous)
    expect(accepted).toEqual({ action: 'user.accepted', ...both })
    const { accessToken } = await newSession(world as never, { organizationId: scenario.organizationId, userId: id })
    const member = await world.callerOf(String(claimsOf(accessToken)['sid']))
    const profile = 'authUpdateProfile(input: {timezone: "Europe/Paris", firstName: "Eve"}) { id }'
    expect(await changeBy(scenario, id, profile, member)).toEqual({ action: 'user.updated', ...person })
    const update = `userUpdate(id: "${id}", input: {role: MANAGER}) { id }`
    expect(await changeBy(scenario, id, update)).toEqual({ action: 'user.updated', ...user })
  })

  it('has an event with the record that administrators see, before and after the person joins', async () => {
    const scenario = await aScenario(world)
    const directory = await scenario.directory()
    const id = await provisionUser(scenario, directory)
    expect(await lastChange(id)).toEqual({ action: 'user.created', ...both })
    const link = `authMagicLink(token: "${await scenario.mailed('MAGIC_LINK', {}, scenario.newEmail)}") { accessToken }`
    expect(await changeBy(scenario, id, link, anonymous)).toEqual({ action: 'user.updated', ...user })
    const renamed = `scimUserUpdate(id: "${id}", input: {givenName: "Bo", externalId: "7"}) { id }`
    expect(await changeBy(scenario, id, renamed, directory)).toEqual({ action: 'user.updated', ...user })
    const otherUser = await world.aUser((await world.anOrganization()).id)
    for (const email of [otherUser.email, `other-${newId()}@example.com`]) {
      const replaced = `scimUserUpdate(id: "${id}", input: {userName: "${email}"}) { id }`
      expect(await changeBy(scenario, id, replaced, directory)).toMatchObject({ action: 'user.updated' })
    }
  })

  it('has an audit entry and no event when only the id in the directory differs', async () => {
    const scenario = await aScenario(world)
    const directory = await scenario.directory()
    const id = await provisionUser(scenario, directory)
    await scenario.run(`mutation { scimUserUpdate(id: "${id}", input: {externalId: "7"}) { id } }`, {}, directory)
    expect(await world.eventsOf(id)).toEqual(['user.created'])
    const [, entry] = await world.query(
      'select action, before, after from identity.audit_entry where target_id = $1 order by id',
      [id],
    )
    expect(entry).toEqual({ action: 'user.updated', before: { externalId: null }, after: { externalId: '7' } })
  })

  it('uses one person when several organizations add the same address at the same time', async () => {
    const email = `shared-${newId()}@example.com`
    const names = { name: 'Ann', firstName: null, lastName: null }
    const organizations = await Promise.all(Array.from({ length: 4 }, () => world.anOrganization()))
    const additions = organizations.map(({ id: organizationId }) =>
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
    expect((await Promise.all(additions)).map((each) => each.email)).toEqual([email, email, email, email])
  })

  it('restores the same user, with its id and creation time, when the person returns', async () => {
    const scenario = await aScenario(world)
    const directory = await scenario.directory()
    const id = await provisionUser(scenario, directory)
    await scenario.run(`mutation { scimUserDelete(id: "${id}") }`, {}, directory)
    world.advanceClock(1000)
    expect(await provisionUser(scenario, directory)).toBe(id)
    expect(await lastChange(id)).toEqual({ action: 'user.created', ...user })
  })

  it('has an event in every organization of the person when the person accepts an invitation to another organization', async () => {
    const scenario = await aScenario(world)
    const home = await world.anOrganization()
    const member = await world.aUser(home.id, { email: scenario.newEmail, password: goodPassword })
    const accepted = await acceptMutation(scenario, await scenario.invited())
    expect(await changeBy(scenario, member.id, accepted, anonymous)).toEqual({ action: 'user.updated', ...person })
    const [event] = await world.query<{ data: object }>(
      'select data from kernel.event where record_id = $1 order by id desc limit 1',
      [member.id],
    )
    expect(event!.data).toMatchObject({ changedFields: ['emailVerified'], actorId: member.id })
  })
})
