import { request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { suspendOrganization } from '../../subgraphs/identity/public.ts'
import { unchanged } from '../expectations.ts'
import { newDirectory, patch, scimWith, type Directory, type Scim } from '../directory.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { answerOf, restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'
const anEmail = () => `p${newId()}@example.com`

const refusal = ({ status, body }: Answer) => [status, body.scimType ?? body.code]
const accounts = (member: Member) => async () => {
  const { status, body } = await member.rest.accountList!()
  return body.code ?? status
}

const withToken = (token: string) => scimWith(platform, token)
const aDirectory = () => newDirectory(platform)
const graphql =
  (token: string) =>
  async (query: string, variables = {}, headers = {}): Promise<Answer> =>
    answerOf(
      await fetch(`${platform.url}/v1/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      }),
    )

let directory: Directory
let scim: Scim
beforeAll(async () => {
  directory = await aDirectory()
  scim = directory.scim
})

describe('the token', () => {
  it('has a known prefix, is stored as hash, and stops working when it is rotated or revoked', async () => {
    const { admin, token, scim: own, organizationId } = await aDirectory()
    expect(token).toMatch(/^scim_[\w-]{43}$/)
    const [row] = await platform.query('select * from identity.scim_token where organization_id = $1', [organizationId])
    expect(JSON.stringify(row)).not.toContain(token.slice(10))
    expect((await own('GET', '/Users')).status).toBe(200)
    const next = (await admin.scimTokenRotate!()).body.token
    expect(refusal(await own('GET', '/Users'))).toEqual([401, 'UNAUTHENTICATED'])
    expect((await withToken(next)('GET', '/Users')).status).toBe(200)
    expect((await admin.scimToken!()).body).toMatchObject({ isActive: true, prefix: next.slice(0, 10) })
    expect((await admin.scimTokenRevoke!()).status).toBe(204)
    expect(refusal(await withToken(next)('GET', '/Users'))).toEqual([401, 'UNAUTHENTICATED'])
    expect((await admin.scimToken!()).body.isActive).toBe(false)
  })

  it('works only for SCIM, and no other credential works there', async () => {
    const { owner, token } = directory
    const elsewhere = ['/v1/accounts', '/v1/admin/users', '/v1/auth/me']
    for (const path of elsewhere) {
      const { status } = await fetch(platform.url + path, { headers: { authorization: `Bearer ${token}` } })
      expect(status).toBe(401)
    }
    const session = await sessionOf(platform, owner)
    const asSession = await graphql(session)('{ scimUserList { total } }')
    expect(asSession.body.errors[0].extensions.code).toBe('PERMISSION_DENIED')
    expect((await withToken(session)('GET', '/Users')).status).toBe(401)
    expect(refusal(await withToken('')('GET', '/Users', undefined, { 'x-api-key': owner.secret }))).toEqual([
      403,
      'API_KEY_SCOPE_BLOCKED',
    ])
    expect((await withToken(token)('GET', '/Users', undefined, { 'x-api-key': owner.secret })).status).toBe(403)
    expect((await fetch(`${platform.url}/v1/scim/v2/Users`)).status).toBe(401)
  })

  it('of a suspended organization is refused immediately', async () => {
    const { organizationId, scim: own, token } = await aDirectory()
    await suspendOrganization(platform.services, organizationId)
    expect(refusal(await own('GET', '/Users'))).toEqual([401, 'ORGANIZATION_SUSPENDED'])
    expect((await graphql(token)('{ scimUserList { total } }')).status).toBe(401)
  })
})

describe('the token in GraphQL', () => {
  it('works like in SCIM, in its organization, and its requests are counted', async () => {
    const { token, admin, organizationId } = await aDirectory()
    const ask = graphql(token)
    const userName = anEmail()
    const create = `mutation($input: ScimUserInput!) { scimUserCreate(input: $input) { id userName active role } }`
    const headers = { 'idempotency-key': newId() }
    const created = await ask(create, { input: { userName } }, headers)
    const user = created.body.data.scimUserCreate
    expect(user).toEqual({ id: expect.any(String), userName, active: true, role: 'MEMBER' })
    expect((await ask(create, { input: { userName } }, headers)).body.data.scimUserCreate).toEqual(user)
    expect((await admin.user!({ id: user.id })).body).toMatchObject({ organizationId, email: userName })
    const group = `mutation($input: ScimGroupInput!) { scimGroupCreate(input: $input) { displayName members { id } } }`
    const { body } = await ask(group, { input: { displayName: 'Sales', members: [user.id] } })
    expect(body.data.scimGroupCreate).toEqual({ displayName: 'Sales', members: [{ id: user.id }] })
    const list = encodeURIComponent('{ scimUserList { total data { userName } } }')
    const read = await answerOf(
      await fetch(`${platform.url}/v1/graphql?query=${list}`, {
        headers: { authorization: `Bearer ${token}`, 'apollo-require-preflight': '1' },
      }),
    )
    expect(read.body.data.scimUserList.total).toBe(2)
    const { body: theirs } = await scim('POST', '/Users', { userName: anEmail() })
    expect((await ask(`{ scimUser(id: "${theirs.id}") { id } }`)).body.errors[0].extensions.code).toBe('NOT_FOUND')
    await platform.settled()
    const counted = await platform.query(
      `select operation, requests from identity.usage_hour where credential_kind = 'SCIM_TOKEN' and organization_id = $1`,
      [organizationId],
    )
    expect(counted).toEqual([{ operation: 'graphql', requests: 5 }])
  })

  it.each([
    '{ accountList { total } }',
    '{ userList { total } }',
    '{ me { id } }',
    '{ scimToken { isActive } }',
    '{ scimUserList { total } accountList { total } }',
    'mutation { scimTokenRotate { token } }',
    'mutation { authLogin(input: {email: "a@example.com", password: "x"}) { accessToken } }',
  ])('is refused %s', async (query) => {
    const { status, body } = await graphql(directory.token)(query)
    expect([status, body.errors[0].extensions.code]).toEqual([403, 'PERMISSION_DENIED'])
    expect(body.errors[0].message).toBe('A SCIM token may call SCIM operations only.')
  })

  it('is refused together with a key, and when it is wrong or replaced', async () => {
    const { token, admin, owner } = await aDirectory()
    const query = '{ scimUserList { total } }'
    const withKey = await graphql(token)(query, {}, { 'x-api-key': owner.secret })
    expect(withKey.body.errors[0].extensions.code).toBe('API_KEY_SCOPE_BLOCKED')
    await admin.scimTokenRotate!()
    for (const wrong of [token, 'scim_wrong', `scim_${'x'.repeat(43)}`]) {
      const { status, body } = await graphql(wrong)(query)
      expect([status, body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED'])
    }
  })
})

describe('discovery', () => {
  it.each(['/ServiceProviderConfig', '/ResourceTypes', '/Schemas', '/ResourceTypes/User'])('%s', async (path) => {
    const { status, headers } = await scim('GET', path)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/scim+json; charset=utf-8'])
  })
})

describe('users', () => {
  it('are created, read, found, replaced, patched and removed, as by a provisioning client', async () => {
    const userName = anEmail()
    const created = await scim('POST', '/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: userName.toUpperCase(),
      externalId: newId(),
      name: { givenName: 'Ann', familyName: 'Lee' },
      emails: [{ primary: true, value: userName, type: 'work' }],
      active: true,
      password: 'never kept',
    })
    const { id } = created.body
    expect([created.status, created.headers.get('location'), created.body]).toEqual([
      201,
      `${platform.url}/v1/scim/v2/Users/${id}`,
      {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        id: expect.any(String),
        externalId: expect.any(String),
        userName,
        displayName: 'Ann Lee',
        name: { formatted: 'Ann Lee', givenName: 'Ann', familyName: 'Lee' },
        active: true,
        emails: [{ value: userName, type: 'work', primary: true }],
        roles: [{ value: 'MEMBER', primary: true }],
        groups: [],
        meta: {
          resourceType: 'User',
          created: platform.now.toISOString(),
          lastModified: platform.now.toISOString(),
          location: `${platform.url}/v1/scim/v2/Users/${id}`,
        },
      },
    ])
    const [stored] = await platform.query('select password_hash from identity.person where email = $1', [userName])
    expect(stored).toEqual({ password_hash: null })
    expect((await directory.admin.user!({ id })).body).toMatchObject({
      role: 'MEMBER',
      visibility: 'OWN',
      status: 'ACTIVE',
    })

    expect(refusal(await scim('POST', '/Users', { userName }))).toEqual([409, 'uniqueness'])
    const filter = encodeURIComponent(`userName eq "${userName.toUpperCase()}"`)
    expect((await scim('GET', `/Users?filter=${filter}`)).body).toMatchObject({ totalResults: 1, Resources: [{ id }] })
    expect(
      (await scim('GET', `/Users?filter=${encodeURIComponent('userName eq "nobody@example.com"')}`)).body,
    ).toMatchObject({
      totalResults: 0,
      Resources: [],
    })

    const replaced = await scim('PUT', `/Users/${id}`, { userName, name: { givenName: 'Anna' }, roles: ['MANAGER'] })
    expect(replaced.body).toMatchObject({ displayName: 'Anna', active: true, roles: [{ value: 'MANAGER' }] })
    expect(replaced.body.externalId).toBeUndefined()
    expect(replaced.body.name.familyName).toBeUndefined()

    const renamed = anEmail()
    const patched = await scim(
      'PATCH',
      `/Users/${id}`,
      patch(
        { op: 'Replace', path: 'name.givenName', value: 'Bea' },
        { op: 'add', path: 'userName', value: renamed },
        { op: 'replace', value: { externalId: 'x-1', 'name.familyName': 'Ray' } },
      ),
    )
    expect(patched.body).toMatchObject({
      userName: renamed,
      externalId: 'x-1',
      name: { givenName: 'Bea', familyName: 'Ray' },
    })
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
    expect(refusal(await scim('GET', `/Users/${id}`))).toEqual([404, 'NOT_FOUND'])
    const again = await scim('POST', '/Users', { userName: renamed })
    expect([again.status, again.body.id]).toEqual([201, id])

    const { body: log } = await directory.admin.auditLogEntryList!({ query: { targetId: id, limit: 100 } })
    expect(
      new Set(log.data.map((entry: Record<string, unknown>) => `${entry['actorKind']} ${entry['actorId']}`)),
    ).toEqual(new Set(['SCIM null']))
  })

  it('who are deactivated lose their keys and sessions immediately', async () => {
    const member = await platform.member({ organizationId: directory.organizationId })
    const session = await sessionOf(platform, member)
    const me = async () =>
      (await fetch(`${platform.url}/v1/auth/me`, { headers: { authorization: `Bearer ${session}` } })).status
    expect([await accounts(member)(), await me()]).toEqual([200, 200])
    const off = await scim('PATCH', `/Users/${member.userId}`, patch({ op: 'Replace', path: 'active', value: 'False' }))
    expect(off.body.active).toBe(false)
    await expect.poll(accounts(member)).toBe('API_KEY_OWNER_INACTIVE')
    await expect.poll(me).toBe(401)
    await scim('PATCH', `/Users/${member.userId}`, patch({ op: 'replace', value: { active: true } }))
    await expect.poll(accounts(member)).toBe(200)
    await scim('DELETE', `/Users/${member.userId}`)
    await expect.poll(accounts(member)).toBe('API_KEY_OWNER_NOT_IN_ORG')
  })

  it('who return do not get their former keys, and the audit log names no user who revoked them', async () => {
    const member = await platform.member({ organizationId: directory.organizationId })
    const { userName } = (await scim('GET', `/Users/${member.userId}`)).body
    await scim('DELETE', `/Users/${member.userId}`)
    expect((await scim('POST', '/Users', { userName })).body.id).toBe(member.userId)
    const [key] = await platform.query('select id from identity.api_key where owner_id = $1', [member.userId])
    const revoked = (await platform.eventsOf(key!.id as string)).filter(({ type }) => type === 'api_key.revoked')
    expect(revoked.map(({ data }) => data.actorId)).toEqual([null])
  })

  it('with the role OWNER cannot be changed, and no user becomes OWNER', async () => {
    const { owner } = directory
    const at = `/Users/${owner.userId}`
    expect(refusal(await scim('DELETE', at))).toEqual([403, 'PERMISSION_DENIED'])
    expect(refusal(await scim('PATCH', at, patch({ op: 'replace', path: 'active', value: false })))).toEqual([
      403,
      'PERMISSION_DENIED',
    ])
    expect(refusal(await scim('POST', '/Users', { userName: anEmail(), roles: ['OWNER'] }))).toEqual([
      403,
      'PERMISSION_DENIED',
    ])
  })

  it('of other organizations are not found, and keep their email', async () => {
    const other = await aDirectory()
    const userName = anEmail()
    const { body: theirs } = await other.scim('POST', '/Users', { userName, displayName: 'Real Name' })
    for (const method of ['GET', 'DELETE']) expect((await scim(method, `/Users/${theirs.id}`)).status).toBe(404)
    const { body: ours } = await scim('POST', '/Users', { userName, displayName: 'Our Name' })
    expect(ours.displayName).toBe('Our Name')
    const renamed = anEmail()
    const taking = patch({ op: 'replace', path: 'userName', value: renamed })
    expect((await scim('PATCH', `/Users/${ours.id}`, taking)).body).toMatchObject({ id: ours.id, userName: renamed })
    expect((await other.scim('GET', `/Users/${theirs.id}`)).body).toMatchObject({ userName, displayName: 'Real Name' })
  })

  it('are tried in dry runs, with the refusals of other users of the address', async () => {
    const other = await aDirectory()
    const { body: known } = await other.scim('POST', '/Users', { userName: anEmail(), displayName: 'Real Name' })
    const { body: own } = await scim('POST', '/Users', { userName: anEmail(), displayName: 'Own Name' })
    const ask = (mutation: string, input: object) =>
      graphql(directory.token)(
        `mutation ($input: ScimUserInput!) @dryRun { result: ${mutation} { userName displayName active } }`,
        { input },
      )
    const before = async () => [
      (await scim('GET', '/Users')).body,
      (await other.scim('GET', '/Users')).body,
      await platform.query('select count(*) as n from kernel.event'),
    ]
    const kept = await before()
    const userName = anEmail()
    const created = await ask('scimUserCreate(input: $input)', { userName, displayName: 'New' })
    expect(created.body.data.result).toEqual({ userName, displayName: 'New', active: true })
    expect(created.body.extensions.dryRun.events.map(({ type }: { type: string }) => type)).toEqual(['user.created'])
    const joined = await ask('scimUserCreate(input: $input)', { userName: known.userName, displayName: 'Ours' })
    expect(joined.body.data.result).toEqual({ userName: known.userName, displayName: 'Ours', active: true })
    const taken = await ask('scimUserCreate(input: $input)', { userName: own.userName })
    expect(taken.body.errors[0].extensions.code).toBe('UNIQUE_VIOLATION')
    const changed = await ask(`scimUserUpdate(id: "${own.id}", input: $input)`, { active: false, displayName: 'Off' })
    expect(changed.body.data.result).toEqual({ userName: own.userName, displayName: 'Off', active: false })
    const foreign = await ask(`scimUserUpdate(id: "${known.id}", input: $input)`, { active: false })
    expect(foreign.body.errors[0].extensions.code).toBe('NOT_FOUND')
    expect(await before()).toEqual(kept)
  })

  it('have the manager of the enterprise extension, in the forms that directories send', async () => {
    const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
    const { body: boss } = await scim('POST', '/Users', { userName: anEmail(), displayName: 'Bea' })
    const userName = anEmail()
    const extension = (value: unknown) => ({ [enterprise]: { department: 'Sales', manager: { value } } })
    const created = await scim('POST', '/Users', { userName, ...extension(boss.id) })
    const { id } = created.body
    const manager = {
      value: boss.id,
      displayName: 'Bea',
      $ref: `${platform.url}/v1/scim/v2/Users/${boss.id}`,
    }
    expect([created.status, created.body.schemas, created.body[enterprise]]).toEqual([
      201,
      ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
      { manager },
    ])
    expect((await directory.admin.user!({ id })).body.managerId).toBe(boss.id)
    const managerAfter = async (method: string, body: unknown) => {
      const answer = await scim(method, `/Users/${id}`, body)
      expect(answer.status).toBe(200)
      return answer.body[enterprise]?.manager.value ?? null
    }
    const remove = patch({ op: 'Remove', path: `${enterprise}:manager` })
    for (const set of [
      { op: 'Add', path: `${enterprise}:manager`, value: boss.id },
      { op: 'replace', path: `${enterprise}:manager`, value: { value: boss.id } },
      { op: 'Add', path: `${enterprise}:manager`, value: [{ value: boss.id }] },
      { op: 'replace', path: `${enterprise}:manager.value`, value: boss.id },
      { op: 'add', path: enterprise.toLowerCase(), value: { manager: boss.id } },
      { op: 'replace', value: { [`${enterprise}:manager`]: boss.id } },
      { op: 'replace', value: extension(boss.id) },
    ]) {
      expect(await managerAfter('PATCH', remove)).toBe(null)
      expect(await managerAfter('PATCH', patch(set))).toBe(boss.id)
    }
    expect(await managerAfter('PUT', { userName })).toBe(boss.id)
    expect(await managerAfter('PUT', { userName, [enterprise]: { department: 'Sales' } })).toBe(null)
    expect(await managerAfter('PUT', { userName, ...extension(boss.id) })).toBe(boss.id)
    expect(await managerAfter('PATCH', patch({ op: 'replace', path: `${enterprise}:manager`, value: '' }))).toBe(null)

    await managerAfter('PUT', { userName, ...extension(boss.id) })
    const stranger = await platform.member()
    for (const [target, value] of [
      [boss.id, id],
      [id, id],
      [id, stranger.userId],
      [id, 'x'],
    ]) {
      const body = patch({ op: 'add', path: `${enterprise}:manager`, value })
      expect(refusal(await unchanged(platform, () => scim('PATCH', `/Users/${target}`, body)))).toEqual([
        400,
        'invalidValue',
      ])
    }
    const refused = { userName: anEmail(), ...extension(newId()) }
    expect(refusal(await unchanged(platform, () => scim('POST', '/Users', refused)))).toEqual([400, 'invalidValue'])
  })

  it('are not changed by unknown schema extensions', async () => {
    const { body: user } = await scim('POST', '/Users', { userName: anEmail(), displayName: 'Ann' })
    const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
    const patched = await scim(
      'PATCH',
      `/Users/${user.id}`,
      patch(
        { op: 'Add', path: `${enterprise}:department`, value: 'Sales' },
        { op: 'replace', path: `${enterprise}:manager[value eq "x"].displayName`, value: 'Bea' },
        { op: 'remove', path: `${enterprise}:manager` },
        { op: 'replace', value: { [enterprise]: { costCenter: '7' }, 'urn:acme:hr:2.0:User:grade': 3, active: true } },
        { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:displayName', value: 'Anna' },
      ),
    )
    expect([patched.status, patched.body]).toEqual([
      200,
      { ...user, displayName: 'Anna', name: { formatted: 'Anna' }, meta: patched.body.meta },
    ])
    const { body: group } = await scim('POST', '/Groups', { displayName: `G ${newId()}` })
    const outcome = patch({ op: 'add', path: 'urn:acme:hr:2.0:Group:grade', value: 3 })
    expect((await scim('PATCH', `/Groups/${group.id}`, outcome)).status).toBe(200)
  })

  it('have addresses that begin with the URL of the platform, for any Host header', async () => {
    const call = (path: string, method = 'GET', body = '') =>
      new Promise<{ location: string | undefined; text: string }>((resolve, reject) => {
        const headers = {
          host: 'evil.example',
          authorization: `Bearer ${directory.token}`,
          'content-type': 'application/scim+json',
        }
        request(`${platform.url}/v1/scim/v2${path}`, { method, headers }, (res) => {
          let text = ''
          res.on('data', (chunk) => (text += String(chunk)))
          res.on('end', () => resolve({ location: res.headers.location, text }))
        })
          .on('error', reject)
          .end(body)
      })
    const created = await call('/Users', 'POST', JSON.stringify({ userName: anEmail() }))
    const { id } = JSON.parse(created.text) as { id: string }
    expect(created.location).toBe(`${platform.url}/v1/scim/v2/Users/${id}`)
    const grouped = await call('/Groups', 'POST', JSON.stringify({ displayName: newId(), members: [{ value: id }] }))
    const discovered = [await call('/ServiceProviderConfig'), await call('/ResourceTypes'), await call('/Schemas')]
    const answers = [created, grouped, await call(`/Users/${id}`), ...discovered]
    for (const { text } of answers) {
      expect(text).toContain(`${platform.url}/v1/scim/v2/`)
      expect(text).not.toContain('evil.example')
    }
  })

  it('page by startIndex and count', async () => {
    const { scim: own } = await aDirectory()
    for (let count = 0; count < 3; count++) await own('POST', '/Users', { userName: anEmail() })
    const { body: second } = await own('GET', '/Users?startIndex=2&count=2')
    expect(second).toMatchObject({ totalResults: 4, startIndex: 2, itemsPerPage: 2 })
    expect((await own('GET', '/Users?startIndex=0&count=1000')).body).toMatchObject({ startIndex: 1, itemsPerPage: 4 })
    expect((await own('GET', '/Users?count=0')).body).toMatchObject({ totalResults: 4, Resources: [] })
  })
})

describe('groups', () => {
  it('are teams', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(async () => (await scim('POST', '/Users', { userName: anEmail() })).body.id as string),
    )
    const displayName = `Sales ${newId()}`
    const created = await scim('POST', '/Groups', { displayName, externalId: newId(), members: [{ value: one }] })
    const { id } = created.body
    const members = async () => (await directory.admin.team!({ id })).body.userIds
    expect([created.status, await members()]).toEqual([201, [one]])
    expect(refusal(await scim('POST', '/Groups', { displayName }))).toEqual([409, 'uniqueness'])
    const filter = encodeURIComponent(`displayName eq "${displayName}"`)
    expect((await scim('GET', `/Groups?filter=${filter}`)).body).toMatchObject({ totalResults: 1, Resources: [{ id }] })
    await scim('PATCH', `/Groups/${id}`, patch({ op: 'Add', path: 'members', value: [{ value: two }] }))
    expect(new Set(await members())).toEqual(new Set([one, two]))
    await scim('PATCH', `/Groups/${id}`, patch({ op: 'remove', path: `members[value eq "${one}"]` }))
    expect(await members()).toEqual([two])
    expect((await scim('GET', `/Users/${two}`)).body.groups).toMatchObject([{ value: id, display: displayName }])
    await scim('PATCH', `/Groups/${id}`, patch({ op: 'replace', value: { id, displayName: `${displayName} 2` } }))
    await scim('PATCH', `/Groups/${id}`, patch({ op: 'remove', path: 'members' }))
    expect(await members()).toEqual([])
    const put = await scim('PUT', `/Groups/${id}`, { displayName, members: [{ value: one }, { value: two }] })
    expect(put.body).toMatchObject({ displayName, members: [{}, {}] })
    expect(
      (await scim('PATCH', `/Groups/${id}`, patch({ op: 'add', path: 'members', value: [{ value: newId() }] }))).status,
    ).toBe(400)
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204)
    expect((await scim('GET', `/Groups/${id}`)).status).toBe(404)
  })
})

describe('refusals', () => {
  const filters = [
    'userName eq "x" or userName pr',
    "userName eq 'x'",
    'userName eq "x" --',
    'userName eq "x\\u0000"',
    'userName sw "a"',
    'password eq "x"',
    '__proto__ eq "x"',
    'userName eq "',
    '(userName eq "x")',
    '',
  ]
  it.each(filters)('the filter %j', async (filter) => {
    const answer = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    expect(answer.body).toMatchObject({ schemas: [errorSchema], status: '400', scimType: 'invalidFilter' })
    expect(answer.headers.get('content-type')).toBe('application/scim+json; charset=utf-8')
  })

  it('a filter whose value is SQL finds nothing', async () => {
    const filter = encodeURIComponent(`userName eq "x' or '1'='1"`)
    expect((await scim('GET', `/Users?filter=${filter}`)).body.totalResults).toBe(0)
  })

  it.each([
    [patch({ op: 'replace', path: 'nosuch', value: 1 }), 'invalidPath'],
    [patch({ op: 'replace', path: 'emails[type eq "work"', value: 'x' }), 'invalidPath'],
    [patch({ op: 'replace', path: '__proto__.active', value: true }), 'invalidPath'],
    [patch({ op: 'replace', value: { nosuch: 1 } }), 'invalidPath'],
    [patch({ op: 'remove', path: 'userName' }), 'mutability'],
    [patch({ op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:nosuch', value: 1 }), 'invalidPath'],
    [patch({ op: 'replace', path: 'urn:', value: 1 }), 'invalidPath'],
    [patch({ op: 'remove' }), 'noTarget'],
    [patch({ op: 'move', path: 'active', value: true }), 'invalidSyntax'],
    [patch(), 'invalidSyntax'],
    [patch({ op: 'replace', path: 'active', value: 'maybe' }), 'invalidValue'],
    [patch({ op: 'replace', path: 'userName', value: 'no email' }), 'invalidValue'],
  ])('the patch %j', async (body, scimType) => {
    const { id } = (await scim('POST', '/Users', { userName: anEmail() })).body
    const before = await platform.fingerprint()
    expect(refusal(await scim('PATCH', `/Users/${id}`, body))).toEqual([400, scimType])
    expect(await platform.fingerprint()).toBe(before)
  })

  it('bodies that are not JSON, of another media type, or too large; unknown paths', async () => {
    expect(refusal(await scim('POST', '/Users', '{'))).toEqual([400, 'invalidSyntax'])
    expect(refusal(await scim('POST', '/Users', '[]'))).toEqual([400, 'invalidSyntax'])
    expect((await scim('POST', '/Users', {}, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await scim('POST', '/Users', `"${'x'.repeat(1_048_576)}"`)).status).toBe(413)
    expect(refusal(await scim('POST', '/Users', {}))).toEqual([400, 'invalidValue'])
    expect(refusal(await scim('GET', '/Nothing'))).toEqual([404, 'NOT_FOUND'])
    expect(refusal(await scim('GET', '/Users/x'))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('a new userName', () => {
  const password = 'Correct horse 7!'
  const anonymous = () => restClient(platform.contract, platform.url, {})
  const outcome = ({ status, body }: Answer) => `${status} ${body?.errors?.[0]?.code ?? body?.code ?? ''}`.trim()
  const secretFor = async (email: string, subject: RegExp) =>
    (await mailsTo(platform, email)).findLast((mail) => subject.test(mail.subject))!.secret

  async function userWithOpenMails() {
    const email = anEmail()
    const { body } = await directory.admin.userInvite!({ body: { email } })
    await anonymous().authMagicLinkSend!({ body: { email } })
    await anonymous().authForgotPassword!({ body: { email } })
    const mails = {
      invitation: await secretFor(email, /^Invitation/),
      link: await secretFor(email, /sign-in link/),
      code: await secretFor(email, /^Your code/),
    }
    return { id: body.id as string, email, mails }
  }

  it('invalidates everything that was mailed to the old address, and emits the change', async () => {
    const { id, email, mails } = await userWithOpenMails()
    const userName = anEmail()
    expect((await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { userName } }))).status).toBe(200)
    const invited = { token: mails.invitation, password, firstName: 'Ann', lastName: 'Lee' }
    expect(outcome(await anonymous().authAcceptPartnerInvite!({ body: invited }))).toBe('400 TOKEN_INVALID')
    expect(outcome(await anonymous().authMagicLink!({ query: { token: mails.link } }))).toBe('400 TOKEN_INVALID')
    const reset = { email, code: mails.code, newPassword: password }
    expect(outcome(await anonymous().authResetPassword!({ body: reset }))).toBe('400 CODE_INVALID')
    const [row] = await platform.query(
      `select count(*)::int as open from identity.one_time_token t join identity.person p on p.id = t.person_id
       where p.email = $1 and t.used_at is null`,
      [userName],
    )
    expect(row).toEqual({ open: 0 })
    expect((await platform.eventsOf(id)).at(-1)).toMatchObject({
      type: 'user.updated',
      data: { changedFields: ['email'], previous: { email }, record: { email: userName } },
    })
  })

  it('does not wait for a link in use, and the link stops working', async () => {
    const email = anEmail()
    await anonymous().authRegister!({ body: { email, password } })
    const verification = await secretFor(email, /^Confirm/)
    await anonymous().authMagicLinkSend!({ body: { email } })
    const link = await secretFor(email, /sign-in link/)
    const [person] = await platform.query<{ id: string }>('select id from identity.person where email = $1', [email])
    const answers = await platform.services.database.transaction(async (sql) => {
      await sql.query('select 1 from identity.person where id = $1 for update', [person!.id])
      const uses = [
        anonymous().authMagicLink!({ query: { token: link } }),
        anonymous().authVerifyEmail!({ query: { token: verification } }),
      ]
      await expect.poll(() => platform.waitingForLocks()).toBe(2)
      await sql.query('update identity.person set email = $2 where id = $1', [person!.id, anEmail()])
      await sql.query('update identity.one_time_token set used_at = now() where person_id = $1', [person!.id])
      return uses
    })
    expect((await Promise.all(answers)).map(outcome)).toEqual(['400 TOKEN_INVALID', '400 TOKEN_INVALID'])
  })
})

describe('every response', () => {
  it('has API-Version and no quota headers, and is counted for the token', async () => {
    const { owner, scim: own, token } = await aDirectory()
    const answers = [
      await own('GET', '/Users'),
      await own('POST', '/Users', { userName: anEmail() }),
      await own('GET', '/Users?filter=x'),
      await own('GET', '/Nothing'),
      await own('GET', '/ServiceProviderConfig'),
      await withToken('scim_wrong')('GET', '/Users'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 400, 404, 200, 401])
    for (const { headers } of answers) {
      expect(headers.get('api-version')).toBe(platform.contract.version)
      expect(headers.get('ratelimit-limit')).toBeNull()
      expect(headers.get('etag')).toBeNull()
    }
    await platform.settled()
    const { byCredential } = (await owner.rest.apiUsageSummary!()).body as { byCredential: Record<string, unknown>[] }
    expect(byCredential.filter(({ credentialKind }) => credentialKind === 'SCIM_TOKEN')).toMatchObject([
      { name: token.slice(0, 10), requests: 5, byStatus: { '2xx': 3, '4xx': 2 } },
    ])
    const counted = await platform.query(
      `select operation, requests from identity.usage_hour where credential_kind = 'SCIM_TOKEN' and organization_id = $1
       order by operation`,
      [owner.organizationId],
    )
    expect(counted).toEqual([
      { operation: 'scimServiceProviderConfig', requests: 1 },
      { operation: 'scimUserCreate', requests: 1 },
      { operation: 'scimUserList', requests: 2 },
      { operation: 'unknown', requests: 1 },
    ])
  })

  const values: unknown[] = [
    null,
    0,
    -1,
    true,
    '',
    'x',
    'x'.repeat(300),
    '\u0000',
    '\ud800',
    [],
    [null],
    [[]],
    {},
    { value: {} },
  ]
  const attributes = [
    'userName',
    'externalId',
    'displayName',
    'name',
    'active',
    'roles',
    'emails',
    'members',
    'schemas',
    'id',
  ]
  it('to a malformed body is a success or a SCIM error', async () => {
    const { scim: own } = await aDirectory()
    const user = (await own('POST', '/Users', { userName: anEmail() })).body.id as string
    const group = (await own('POST', '/Groups', { displayName: 'G' })).body.id as string
    const whole = (thing: object) => ({ userName: anEmail(), displayName: `G ${newId()}`, ...thing })
    const calls: [string, string, unknown][] = attributes.flatMap((name) =>
      values.flatMap((value): [string, string, unknown][] => [
        ['POST', '/Users', whole({ [name]: value })],
        ['PUT', `/Users/${user}`, whole({ [name]: value })],
        ['PATCH', `/Users/${user}`, patch({ op: 'replace', path: name, value })],
        ['POST', '/Groups', whole({ [name]: value })],
        ['PUT', `/Groups/${group}`, whole({ [name]: value })],
        ['PATCH', `/Groups/${group}`, patch({ op: 'add', path: name, value })],
        ['PATCH', `/Groups/${group}`, patch({ op: 'remove', path: `${name}[value eq "x"]`, value })],
        ['PATCH', `/Users/${user}`, { Operations: value }],
        ['PATCH', `/Users/${user}`, patch(value)],
      ]),
    )
    const wrong: unknown[] = []
    for (const [method, path, body] of calls) {
      const { status, body: answered } = await own(method, path, body)
      const isRefusal = answered?.schemas?.[0] === errorSchema && answered.status === String(status)
      if (status >= 500 || (status >= 400 && !isRefusal)) wrong.push([method, path, body, status, answered])
    }
    expect(wrong).toEqual([])
  })

  it.each([
    '/Users?startIndex=x',
    '/Users?count=1e9',
    '/Users?startIndex=999999999&count=999999999',
    '/Users?filter=userName%20eq%20%22a%22&filter=userName%20eq%20%22b%22',
    '/Users?filter[x]=1',
    '/Users/%00',
    '/Users/%',
    '/Users/%C3%28',
    '/Groups/..%2fUsers',
    '/Schemas/x',
    '/Me',
    '/Bulk',
  ])('to %s is a list or a SCIM error', async (path) => {
    const { status, body, headers } = await scim('GET', path)
    expect([200, 400, 404]).toContain(status)
    expect(headers.get('content-type')).toBe('application/scim+json; charset=utf-8')
    if (status !== 200) expect(body).toMatchObject({ schemas: [errorSchema], status: String(status) })
  })
})
