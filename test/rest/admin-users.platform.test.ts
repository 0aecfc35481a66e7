import { describe, expect, it } from 'vitest'
import type { Role } from '../../subgraphs/kernel/context.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { unchanged } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { answerOf, restClient } from '../rest-client.ts'

const platform = usePlatform()
const anEmail = () => `p${newId()}@example.com`

/** A user whose clients use a session instead of the key. */
async function signedIn(role: Role, organizationId?: string) {
  const member = await platform.member({ role, ...(organizationId && { organizationId }) })
  const headers = { Authorization: `Bearer ${await sessionOf(platform, member)}` }
  const rest = restClient(platform.contract, platform.url, headers)
  const graphql = async (query: string, variables = {}) =>
    answerOf(
      await fetch(`${platform.url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      }),
    )
  return { ...member, key: member.rest, rest, graphql }
}

async function organization() {
  const organizationId = await platform.organization()
  return { organizationId, owner: await signedIn('OWNER', organizationId) }
}

const codeOf = async (call: () => Promise<{ status: number; body: { code?: string } }>) => {
  const { status, body } = await unchanged(platform, call as never)
  return [status, body.code]
}

const accounts = (member: Member) => async () => {
  const { status, body } = await member.rest.accountList!()
  return body.code ?? status
}

describe('inviting', () => {
  it('creates a user with status INVITED and an audit log entry', async () => {
    const { owner, organizationId } = await organization()
    const email = anEmail()
    const { status, body } = await owner.rest.userInvite!({
      body: { email: email.toUpperCase(), firstName: 'Ann', lastName: 'Lee', role: 'MANAGER', visibility: 'TEAM' },
    })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        organizationId,
        email,
        emailVerified: false,
        name: 'Ann Lee',
        firstName: 'Ann',
        lastName: 'Lee',
        role: 'MANAGER',
        visibility: 'TEAM',
        profileId: null,
        managerId: null,
        status: 'INVITED',
        isActive: false,
        timezone: 'UTC',
        locale: 'en',
        externalId: null,
        invitedAt: platform.now.toISOString(),
        teams: [],
        createdAt: platform.now.toISOString(),
        updatedAt: platform.now.toISOString(),
      },
    ])
    const { body: log } = await owner.rest.auditLogEntryList!({
      query: { targetId: body.id, sortOrder: 'asc', sortBy: 'id' },
    })
    expect(log.data).toMatchObject([
      { action: 'user.created', actorId: owner.userId, actorKind: 'SESSION', targetType: 'user', before: null },
      { action: 'user.invited', actorId: owner.userId },
    ])
    expect(await codeOf(() => owner.rest.userInvite!({ body: { email } }))).toEqual([409, 'UNIQUE_VIOLATION'])
    expect((await owner.rest.userInviteAgain!({ id: body.id })).body.status).toBe('INVITED')
    expect((await owner.rest.userDeactivate!({ id: body.id })).body).toMatchObject({
      status: 'DEACTIVATED',
      invitedAt: null,
    })
    expect(await codeOf(() => owner.rest.userInviteAgain!({ id: body.id }))).toEqual([409, 'INVALID_STATE'])
  })

  it('lets the person accept once, with the role and teams that administrators set meanwhile', async () => {
    const { owner } = await organization()
    const { body: team } = await owner.rest.teamCreate!({ body: { name: 'Sales' } })
    const email = anEmail()
    const { body: user } = await owner.rest.userInvite!({ body: { email } })
    await owner.rest.userUpdate!({ id: user.id, body: { role: 'MANAGER' } })
    await owner.rest.teamMembersAdd!({ id: team.id, body: { userIds: [user.id] } })
    const token = (await mailsTo(platform, email)).at(-1)!.secret
    const anonymous = restClient(platform.contract, platform.url, {})
    const body = { token, password: 'Correct horse 7!', firstName: 'Ann', lastName: 'Lee' }
    const accepted = await anonymous.authAcceptPartnerInvite!({ body })
    expect([accepted.status, accepted.body.user?.id]).toEqual([200, user.id])
    expect((await owner.rest.user!({ id: user.id })).body).toMatchObject({
      status: 'ACTIVE',
      role: 'MANAGER',
      emailVerified: true,
      teams: [{ id: team.id }],
    })
    expect((await anonymous.authAcceptPartnerInvite!({ body })).status).toBe(400)
    expect((await anonymous.authLogin!({ body: { email, password: body.password } })).status).toBe(200)
  })

  it('returns a user who left as the same user, without the former teams and keys', async () => {
    const { owner, organizationId } = await organization()
    const member = await platform.member({ organizationId })
    const { email } = (await owner.rest.user!({ id: member.userId })).body
    const { body: team } = await owner.rest.teamCreate!({ body: { name: 'Sales', userIds: [member.userId] } })
    expect((await owner.rest.userDelete!({ id: member.userId })).status).toBe(204)
    await expect.poll(accounts(member)).toBe('API_KEY_OWNER_NOT_IN_ORG')
    expect((await owner.rest.team!({ id: team.id })).body.userIds).toEqual([])
    expect((await owner.rest.user!({ id: member.userId })).status).toBe(404)

    const { body: again } = await owner.rest.userInvite!({ body: { email } })
    expect(again).toMatchObject({ id: member.userId, status: 'INVITED', role: 'MEMBER', visibility: 'OWN', teams: [] })
    await platform.query('update identity.app_user set is_active = true, invited_at = null where id = $1', [
      member.userId,
    ])
    await expect.poll(accounts(member)).toBe('API_KEY_INVALID')
  })
})

describe('permissions', () => {
  it.each([
    ['OWNER', 200],
    ['ADMIN', 200],
    ['MANAGER', 403],
    ['MEMBER', 403],
    ['READ_ONLY', 403],
  ] as const)('%s: %i in REST and GraphQL', async (role, status) => {
    const { organizationId } = await organization()
    const member = await platform.member({ organizationId })
    const caller = await signedIn(role, organizationId)
    const calls = ['userList', 'teamList', 'organizationAdministered', 'auditLogEntryList', 'scimToken']
    const statuses = await Promise.all(calls.map(async (name) => (await caller.rest[name]!()).status))
    expect(statuses).toEqual(calls.map(() => status))
    const code = status === 200 ? undefined : 'PERMISSION_DENIED'
    const asked = await caller.graphql('{ userList { total } teamList { total } auditLogEntryList { total } }')
    expect(asked.body.errors?.[0].extensions.code).toBe(code)
    const changed = await caller.graphql(
      'mutation($id: ID!) { userUpdate(id: $id, input: { visibility: TEAM }) { visibility } }',
      { id: member.userId },
    )
    expect(changed.body.errors?.[0].extensions.code).toBe(code)
    expect((await caller.key.userList!()).body.code).toBe('API_KEY_SCOPE_BLOCKED')
  })

  it('only an owner can make, change and remove owners', async () => {
    const { owner, organizationId } = await organization()
    const admin = await signedIn('ADMIN', organizationId)
    const member = await platform.member({ organizationId })
    const denied = [403, 'PERMISSION_DENIED']
    const role = (id: string, to: Role) => () => admin.rest.userUpdate!({ id, body: { role: to } })
    expect(await codeOf(role(member.userId, 'OWNER'))).toEqual(denied)
    expect(await codeOf(role(admin.userId, 'OWNER'))).toEqual(denied)
    expect(await codeOf(role(owner.userId, 'MEMBER'))).toEqual(denied)
    expect(await codeOf(() => admin.rest.userDeactivate!({ id: owner.userId }))).toEqual(denied)
    expect(await codeOf(() => admin.rest.userDelete!({ id: owner.userId }))).toEqual(denied)
    expect(await codeOf(() => admin.rest.userInvite!({ body: { email: anEmail(), role: 'OWNER' } }))).toEqual(denied)
    expect((await admin.rest.userUpdate!({ id: member.userId, body: { role: 'ADMIN' } })).body.role).toBe('ADMIN')
    expect((await owner.rest.userUpdate!({ id: member.userId, body: { role: 'OWNER' } })).body.role).toBe('OWNER')
  })

  it('no user of another organization is visible', async () => {
    const { owner } = await organization()
    const stranger = await platform.member({ organizationId: await platform.organization() })
    for (const name of ['user', 'userDelete', 'userDeactivate', 'userReactivate', 'userInviteAgain']) {
      expect(await codeOf(() => owner.rest[name]!({ id: stranger.userId }))).toEqual([404, 'NOT_FOUND'])
    }
    expect(await codeOf(() => owner.rest.teamCreate!({ body: { name: 'x', userIds: [stranger.userId] } }))).toEqual([
      400,
      'VALIDATION_FAILED',
    ])
    expect((await owner.rest.userList!()).body).toMatchObject({ total: 1, data: [{ id: owner.userId }] })
  })
})

describe('the last owner', () => {
  it('cannot be lowered, deactivated or removed', async () => {
    const { owner } = await organization()
    const id = owner.userId
    expect(await codeOf(() => owner.rest.userUpdate!({ id, body: { role: 'ADMIN' } }))).toEqual([409, 'INVALID_STATE'])
    expect(await codeOf(() => owner.rest.userDeactivate!({ id }))).toEqual([409, 'INVALID_STATE'])
    expect(await codeOf(() => owner.rest.userDelete!({ id }))).toEqual([409, 'INVALID_STATE'])
  })

  it('is not replaced by an owner who was only invited', async () => {
    const { owner } = await organization()
    await owner.rest.userInvite!({ body: { email: anEmail(), role: 'OWNER' } })
    expect(await codeOf(() => owner.rest.userDeactivate!({ id: owner.userId }))).toEqual([409, 'INVALID_STATE'])
  })

  it('remains when two owners lower each other, or themselves, concurrently', async () => {
    for (const crossed of [true, false]) {
      const { owner, organizationId } = await organization()
      const other = await signedIn('OWNER', organizationId)
      const lower = (by: typeof owner, id: string) => by.rest.userUpdate!({ id, body: { role: 'MEMBER' } })
      const answers = await Promise.all([
        lower(owner, crossed ? other.userId : owner.userId),
        lower(other, crossed ? owner.userId : other.userId),
      ])
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual(crossed ? [200, 403] : [200, 409])
      const owners = await platform.query(
        `select id from identity.app_user where organization_id = $1 and role = 'OWNER' and is_active`,
        [organizationId],
      )
      expect(owners).toHaveLength(1)
    }
  })
})

describe('lists', () => {
  it('support filter, search and pages', async () => {
    const { owner, organizationId } = await organization()
    const member = await platform.member({ organizationId, role: 'MEMBER' })
    const reader = await platform.member({ organizationId, role: 'READ_ONLY' })
    await owner.rest.userDeactivate!({ id: reader.userId })
    const ids = async (query: Record<string, string>) =>
      (await owner.rest.userList!({ query: { sortBy: 'id', sortOrder: 'asc', ...query } })).body.data.map(
        ({ id }: { id: string }) => id,
      )
    expect(await ids({})).toEqual([owner.userId, member.userId, reader.userId])
    expect(await ids({ role: 'MEMBER' })).toEqual([member.userId])
    expect(await ids({ isActive: 'false' })).toEqual([reader.userId])
    const { email } = (await owner.rest.user!({ id: member.userId })).body
    expect(await ids({ search: email.slice(0, 30) })).toEqual([member.userId])
    expect((await owner.rest.userList!({ query: { limit: 2 } })).body).toMatchObject({
      total: 3,
      totalPages: 2,
      hasMore: true,
    })
  })

  it('of the audit log can be filtered by actor, action, target and time', async () => {
    const { owner, organizationId } = await organization()
    const member = await platform.member({ organizationId })
    platform.advanceClock(60_000)
    await owner.rest.userUpdate!({ id: member.userId, body: { role: 'MANAGER' } })
    const list = async (query: Record<string, string>) =>
      (await owner.rest.auditLogEntryList!({ query })).body.data as {
        action: string
        before: unknown
        after: unknown
      }[]
    expect(await list({ actorId: owner.userId, targetId: member.userId })).toMatchObject([
      { action: 'user.updated', before: { role: 'MEMBER' }, after: { role: 'MANAGER' } },
    ])
    expect(await list({ from: platform.now.toISOString(), targetType: 'user' })).toHaveLength(1)
    expect((await list({ to: platform.now.toISOString(), action: 'user.created' })).length).toBe(2)
  })
})
