import { describe, expect, it } from 'vitest'
import type { Role } from '../../subgraphs/kernel/context.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { answerOf, restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
const password = 'Correct horse 7!'
const anEmail = () => `p${newId()}@example.com`
const anonymous = () => restClient(platform.contract, platform.url, {})
const outcome = ({ status, body }: Answer) => `${status} ${body?.errors?.[0]?.code ?? body?.code ?? ''}`.trim()

async function signedIn(role: Role, organizationId?: string) {
  const member = await platform.member({ role, ...(organizationId && { organizationId }) })
  const headers = { Authorization: `Bearer ${await sessionOf(platform, member)}` }
  const rest = restClient(platform.contract, platform.url, headers)
  const invitePartner = async (input: object) => {
    const query = 'mutation($input: PartnerInviteInput!) { partnerInvite(input: $input) { email role } }'
    const { body } = await answerOf(
      await fetch(`${platform.url}/v1/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { input } }),
      }),
    )
    return (body.errors?.[0]?.extensions.code ?? body.data.partnerInvite) as unknown
  }
  const inviteUser = async (body: object) => {
    const answer = await rest.userInvite!({ body })
    return (answer.body.code ?? { email: answer.body.email, role: answer.body.role }) as unknown
  }
  return { ...member, rest, ways: { partnerInvite: invitePartner, userInvite: inviteUser } }
}

async function anOrganization() {
  const organizationId = await platform.organization()
  return { organizationId, owner: await signedIn('OWNER', organizationId) }
}

const linkTo = async (email: string) => (await mailsTo(platform, email)).at(-1)?.secret ?? ''
const accept = (token: string, more: object = {}) =>
  anonymous().authAcceptPartnerInvite!({ body: { token, password, firstName: 'Pat', lastName: 'Ng', ...more } })

describe.each(['partnerInvite', 'userInvite'] as const)('%s', (way) => {
  it.each([
    ['OWNER', 'OWNER', 200],
    ['OWNER', 'ADMIN', 200],
    ['ADMIN', 'ADMIN', 200],
    ['ADMIN', 'MEMBER', 200],
    ['ADMIN', 'OWNER', 403],
    ['MANAGER', 'READ_ONLY', 403],
  ] as const)('sent by a user with role %s for role %s answers %i', async (from, role, status) => {
    const { organizationId } = await anOrganization()
    const inviter = await signedIn(from, organizationId)
    const email = anEmail()
    const answer = await inviter.ways[way]({ email, role })
    if (status === 403) {
      expect([answer, await linkTo(email)]).toEqual(['PERMISSION_DENIED', ''])
      return
    }
    expect(answer).toEqual({ email, role })
    const joined = await accept(await linkTo(email))
    expect([joined.status, joined.body.user]).toEqual([200, expect.objectContaining({ email, role, name: 'Pat Ng' })])
  })

  it.each([
    ['is deactivated', 'userDeactivate', undefined],
    ['is removed', 'userDelete', undefined],
    ['loses the role', 'userUpdate', { role: 'MANAGER' }],
  ])('is invalid when its sender %s', async (_what, operation, body) => {
    const { owner, organizationId } = await anOrganization()
    const admin = await signedIn('ADMIN', organizationId)
    const email = anEmail()
    await admin.ways[way]({ email, role: 'MEMBER' })
    await owner.rest[operation]!({ id: admin.userId, ...(body && { body }) })
    expect(outcome(await accept(await linkTo(email)))).toBe('400 TOKEN_INVALID')
    expect((await owner.rest.userList!({ query: { search: email } })).body.data).toMatchObject([{ status: 'INVITED' }])
  })

  it('is invalid if its sender may no longer grant the role', async () => {
    const { owner, organizationId } = await anOrganization()
    const other = await signedIn('OWNER', organizationId)
    const [asOwner, asAdmin] = [anEmail(), anEmail()]
    await other.ways[way]({ email: asOwner, role: 'OWNER' })
    await other.ways[way]({ email: asAdmin, role: 'ADMIN' })
    await owner.rest.userUpdate!({ id: other.userId, body: { role: 'ADMIN' } })
    expect(outcome(await accept(await linkTo(asOwner)))).toBe('400 TOKEN_INVALID')
    expect((await accept(await linkTo(asAdmin))).status).toBe(200)
  })

  it('can be withdrawn by administrators', async () => {
    const { owner } = await anOrganization()
    const email = anEmail()
    await owner.ways[way]({ email })
    const [{ id }] = (await owner.rest.userList!({ query: { search: email } })).body.data as [{ id: string }]
    await owner.rest.userDelete!({ id })
    expect(outcome(await accept(await linkTo(email)))).toBe('400 TOKEN_INVALID')
    const { data } = (await owner.rest.auditLogEntryList!({ query: { targetId: id, sortBy: 'id', sortOrder: 'asc' } }))
      .body as { data: { action: string }[] }
    expect(data.map(({ action }) => action)).toEqual([
      'user.created',
      'user.invited',
      'user.invitation_withdrawn',
      'user.deleted',
    ])
  })
})

describe('partnerInvite', () => {
  it('sent again replaces the previous invitation, including the role', async () => {
    const { owner } = await anOrganization()
    const email = anEmail()
    await owner.ways.partnerInvite({ email, role: 'ADMIN' })
    const first = await linkTo(email)
    expect(await owner.ways.partnerInvite({ email, role: 'READ_ONLY' })).toEqual({ email, role: 'READ_ONLY' })
    expect(outcome(await accept(first))).toBe('400 TOKEN_INVALID')
    expect((await accept(await linkTo(email))).body.user.role).toBe('READ_ONLY')
    expect(await owner.ways.partnerInvite({ email })).toBe('UNIQUE_VIOLATION')
  })

  it('does not show the organization an account that the person has elsewhere', async () => {
    const email = anEmail()
    await anonymous().authRegister!({ body: { email, password, firstName: 'Real', lastName: 'Name' } })
    const { owner } = await anOrganization()
    await owner.ways.partnerInvite({ email })
    const [user] = (await owner.rest.userList!({ query: { search: email } })).body.data as [{ id: string }]
    expect(user).toMatchObject({ name: email.split('@')[0], status: 'INVITED', emailVerified: false })
    await owner.rest.userUpdate!({ id: user.id, body: { visibility: 'ALL' } })
    expect(JSON.stringify(await platform.eventsOf(user.id))).not.toContain('Real')
    expect((await accept(await linkTo(email))).body.user).toMatchObject({ name: 'Real Name', visibility: 'ALL' })
  })
})

describe('authRegister', () => {
  it('of a person who is only invited creates an account as usual, which the invitation can then join', async () => {
    const { owner, organizationId } = await anOrganization()
    const email = anEmail()
    await owner.ways.partnerInvite({ email })
    const own = await anonymous().authRegister!({ body: { email, password, firstName: 'Own', lastName: 'Name' } })
    expect([own.status, own.body.user]).toEqual([201, expect.objectContaining({ name: 'Own Name', role: 'OWNER' })])
    const link = await linkTo(email)
    const invitation = (await mailsTo(platform, email)).find(({ subject }) => subject.startsWith('Invitation'))!.secret
    expect(link).not.toBe(invitation)
    expect(outcome(await accept(invitation, { password: 'Another horse 8!' }))).toBe('409 NOT_UNIQUE')
    expect((await accept(invitation)).body.user).toMatchObject({ name: 'Own Name', organizationId, role: 'MEMBER' })
  })
})

describe('authAcceptPartnerInvite, eight concurrent requests', () => {
  it('with one link: one joins, without a deadlock', async () => {
    const { owner } = await anOrganization()
    const email = anEmail()
    await owner.ways.partnerInvite({ email })
    const token = await linkTo(email)
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept(token)))
    expect(answers.map(outcome).filter((answer) => answer === '200')).toHaveLength(1)
    expect(answers.map(outcome).filter((answer) => /^(400 TOKEN_INVALID|409 NOT_UNIQUE)$/.test(answer))).toHaveLength(7)
    const people = await platform.query('select id from identity.person where email = $1', [email])
    expect(people).toHaveLength(1)
  })

  it.each([true, false])('of one person by eight organizations, all join (account before: %s)', async (isKnown) => {
    const email = anEmail()
    if (isKnown) await anonymous().authRegister!({ body: { email, password } })
    const links: string[] = []
    for (let count = 0; count < 8; count++) {
      const { owner } = await anOrganization()
      await owner.ways.partnerInvite({ email })
      links.push(await linkTo(email))
    }
    const answers = await Promise.all(links.map((link) => accept(link)))
    expect(answers.map(outcome)).toEqual(Array<string>(8).fill('200'))
    expect(new Set(answers.map(({ body }) => body.user.organizationId)).size).toBe(8)
  })

  it('of eight people by one organization, all join', async () => {
    const { owner } = await anOrganization()
    const emails = Array.from({ length: 8 }, anEmail)
    for (const email of emails) await owner.ways.userInvite({ email })
    const answers = await Promise.all(emails.map(async (email) => accept(await linkTo(email))))
    expect(answers.map(outcome)).toEqual(Array<string>(8).fill('200'))
  })
})
