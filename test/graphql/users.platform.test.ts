import { beforeAll, describe, expect, it } from 'vitest'
import { createUser, deactivateUser, removeUser } from '../../subgraphs/identity/public.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, product, supportCase } from '../builders.ts'
import { sessionOf } from '../requests/session.ts'
import { usePlatform, type Member } from '../platform.ts'
import { graphqlClient } from '../rest-client.ts'
import { statementsOf } from '../statements.ts'

const platform = usePlatform()
let member: Member
let stranger: Member
const ids: Record<string, string> = {}

const add = async (name: string, values: { email?: string; organizationId?: string } = {}) => {
  const { email = `${name.toLowerCase().replaceAll(/\W/g, '.')}@example.com`, organizationId = member.organizationId } =
    values
  const user = await createUser(platform.services, organizationId, { name, email, role: 'MEMBER', visibility: 'ALL' })
  ids[name] = user.id
  return user.id
}

beforeAll(async () => {
  member = await platform.member()
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
  await add('Elin Wester')
  await add('Åsa Öberg', { email: 'asa@example.com' })
  await add('Gone Away', { email: 'gone@leavers.example' })
  await add('Idle Ivar')
  await add('Zoe Foreign', { organizationId: stranger.organizationId })
})

const data = async (query: string, variables: object = {}, who = member) => {
  const { body } = await who.graphql(query, variables)
  expect(body.errors).toBe(undefined)
  return body.data
}

const whole = '{ id name email avatar active managerId }'
const elin = () => ({
  id: ids['Elin Wester'],
  name: 'Elin Wester',
  email: 'elin.wester@example.com',
  avatar: null,
  active: true,
  managerId: null,
})

describe('the users of a record', () => {
  it('are its owner, its assignee, the authors of its comments, and who created and last changed it', async () => {
    const { id: accountId } = await account(member, { ownerId: ids['Elin Wester'] })
    const { id } = await supportCase(member, { accountId, assignedToId: ids['Elin Wester'] })
    await member.rest.caseCommentCreate!({ id, body: { body: 'x' } })
    const { id: productId } = await product(member)
    const found = await data(
      `query ($account: ID!, $case: ID!, $product: ID!) {
        account(id: $account) { ownerId owner ${whole} createdBy { name } updatedBy { id } }
        case(id: $case) { owner { id } assignedTo ${whole} account { owner { name } } comments { nodes { author { name active } } } }
        product(id: $product) { owner { name } createdBy { name } }
      }`,
      { account: accountId, case: id, product: productId },
    )
    expect(found).toEqual({
      account: {
        ownerId: ids['Elin Wester'],
        owner: elin(),
        createdBy: { name: 'Ann Lee' },
        updatedBy: { id: member.userId },
      },
      case: {
        owner: { id: member.userId },
        assignedTo: elin(),
        account: { owner: { name: 'Elin Wester' } },
        comments: { nodes: [{ author: { name: 'Ann Lee', active: true } }] },
      },
      product: { owner: { name: 'Ann Lee' }, createdBy: { name: 'Ann Lee' } },
    })
  })

  it('are in the answers of mutations and of deleted records', async () => {
    const created = await data(
      'mutation ($owner: ID) { accountCreate(input: { name: "x", ownerId: $owner }) { id owner { name } createdBy { name } } }',
      { owner: ids['Elin Wester'] },
    )
    expect(created.accountCreate).toMatchObject({ owner: { name: 'Elin Wester' }, createdBy: { name: 'Ann Lee' } })
    await member.rest.accountDelete!({ id: created.accountCreate.id })
    const deleted = await data('{ accountListDeleted(limit: 1) { owner { name } updatedBy { name } } }')
    expect(deleted.accountListDeleted).toEqual([{ owner: { name: 'Elin Wester' }, updatedBy: { name: 'Ann Lee' } }])
  })

  it('need no scope but that of the record', async () => {
    const reader = await platform.member({ organizationId: member.organizationId, scopes: ['READ_PRODUCTS'] })
    await product(member)
    const { productList } = await data('{ productList(limit: 1) { data { createdBy { name email } } } }', {}, reader)
    expect(productList.data[0].createdBy.name).toBe('Ann Lee')
  })

  it('are null where the platform acted, or where the profile hides the id', async () => {
    const { id } = await account(member, { ownerId: ids['Elin Wester'] })
    await platform.query('update crm.account set updated_by_id = null where id = $1', [id])
    const restricted = await platform.member({ organizationId: member.organizationId })
    const ctx = systemContext(platform.services, member.organizationId)
    const profile = await createProfile(ctx, { name: 'No owners', fields: { account: { ownerId: 'HIDDEN' } } })
    await assignProfile(ctx, restricted.userId, profile.id)
    const query = 'query ($id: ID!) { account(id: $id) { owner { id name } createdBy { name } updatedBy { name } } }'
    const createdBy = { name: 'Ann Lee' }
    expect((await data(query, { id })).account).toEqual({
      owner: { id: ids['Elin Wester'], name: 'Elin Wester' },
      createdBy,
      updatedBy: null,
    })
    expect((await data(query, { id }, restricted)).account).toEqual({ owner: null, createdBy, updatedBy: null })
  })

  it('are read in one statement for a whole page', async () => {
    for (const ownerId of [ids['Elin Wester'], ids['Åsa Öberg'], member.userId]) await account(member, { ownerId })
    const query = '{ accountList(limit: 100) { data { owner { name } createdBy { name } } } }'
    let found: { owner: { name: string } }[] = []
    const statements = await statementsOf(platform, async () => (found = (await data(query)).accountList.data))
    expect(new Set(found.map(({ owner }) => owner.name))).toEqual(new Set(['Elin Wester', 'Åsa Öberg', 'Ann Lee']))
    // The accounts, their owners, and their creators.
    expect(statements.length).toBeLessThanOrEqual(3)
  })

  it('keep the name of a user who left, without the address', async () => {
    const { id } = await account(member, { ownerId: ids['Gone Away'] })
    await removeUser(platform.services, member.organizationId, ids['Gone Away']!)
    await platform.query(
      `update identity.person set name = 'Renamed Later', email = 'later@example.com' where email = 'gone@leavers.example'`,
    )
    const { account: read } = await data(`query ($id: ID!) { account(id: $id) { owner ${whole} } }`, { id })
    expect(read.owner).toEqual({
      id: ids['Gone Away'],
      name: 'Gone Away',
      email: null,
      avatar: null,
      active: false,
      managerId: null,
    })
  })

  it('have the current name and address of the person, and the picture after the person has joined', async () => {
    const id = await add('Before Change')
    const person = `from identity.app_user u where u.person_id = person.id and u.id = $1`
    await platform.query(
      `update identity.person set name = 'After Change', email = 'after@example.com', avatar = 'https://x.example/a.png' ${person}`,
      [id],
    )
    const one = async () =>
      (await data(`query ($ids: [ID!]) { userLookup(ids: $ids) { data ${whole} } }`, { ids: [id] })).userLookup.data
    expect(await one()).toEqual([
      {
        id,
        name: 'After Change',
        email: 'after@example.com',
        avatar: 'https://x.example/a.png',
        active: true,
        managerId: null,
      },
    ])
    await platform.query(
      `update identity.app_user set known_as = '{"name": "Known As"}', has_joined = false where id = $1`,
      [id],
    )
    expect(await one()).toEqual([
      { id, name: 'Known As', email: 'after@example.com', avatar: null, active: true, managerId: null },
    ])
  })
})

describe('the users of keys, apps, tokens and the audit log', () => {
  it('are their owners, creators and actors', async () => {
    const owner = await platform.member({ organizationId: member.organizationId, role: 'OWNER' })
    const graphql = graphqlClient(platform.url, { Authorization: `Bearer ${await sessionOf(platform, owner)}` })
    const { body } = await graphql(
      `{ apiKeyList(limit: 100) { data { id owner { id name } } } scimToken { createdBy { name } }
        oauthAppList { data { owner { name } } }
        auditLogEntryList(filter: { actorId: { eq: "${owner.userId}" } }, limit: 1) { data { action actor { id name active } } } }`,
    )
    expect(body.errors).toBe(undefined)
    const { apiKeyList, scimToken, oauthAppList, auditLogEntryList } = body.data
    expect(apiKeyList.data).toContainEqual({ id: owner.keyId, owner: { id: owner.userId, name: 'Ann Lee' } })
    expect([scimToken, oauthAppList.data]).toEqual([{ createdBy: null }, []])
    expect(auditLogEntryList.data[0].actor).toEqual({ id: owner.userId, name: 'Ann Lee', active: true })
  })
})

describe('userLookup', () => {
  const names = async (variables: object, who = member): Promise<string[]> => {
    const query = `query ($search: String, $ids: [ID!], $includeInactive: Boolean) {
      userLookup(search: $search, ids: $ids, includeInactive: $includeInactive, limit: 100) { total data { name } } }`
    const { userLookup } = await data(query, variables, who)
    expect(userLookup.total).toBe(userLookup.data.length)
    return userLookup.data.map(({ name }: { name: string }) => name)
  }

  beforeAll(() => deactivateUser(platform.services, member.organizationId, ids['Idle Ivar']!))

  it('lists the active users of the organization by name', async () => {
    const found = await names({})
    expect(found).toEqual(found.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
    expect(found).toEqual(expect.arrayContaining(['Ann Lee', 'Elin Wester', 'Åsa Öberg']))
    expect(found.filter((name) => ['Idle Ivar', 'Gone Away', 'Zoe Foreign'].includes(name))).toEqual([])
    expect(await names({ includeInactive: true })).toEqual(expect.arrayContaining(['Idle Ivar', 'Gone Away']))
  })

  it.each<[variables: object, found: string[]]>([
    [{ search: 'elin' }, ['Elin Wester']],
    [{ search: 'WESTER' }, ['Elin Wester']],
    [{ search: 'elin.wester@' }, ['Elin Wester']],
    [{ search: 'öb' }, ['Åsa Öberg']],
    [{ search: 'el' }, ['Elin Wester']],
    [{ search: 'ste' }, ['Elin Wester']],
    [{ search: 'st' }, []],
    [{ search: '%' }, []],
    [{ search: 'zoe' }, []],
    [{ search: 'idle' }, []],
    [{ search: 'idle', includeInactive: true }, ['Idle Ivar']],
    [{ search: 'gone', includeInactive: true }, ['Gone Away']],
    [{ search: 'leavers', includeInactive: true }, []],
    [{ ids: ['@Elin Wester', '@Idle Ivar', '@Gone Away', '@Zoe Foreign'] }, ['Elin Wester', 'Gone Away', 'Idle Ivar']],
    [{ ids: ['@Elin Wester', '@Idle Ivar'], includeInactive: false }, ['Elin Wester']],
    [{ ids: [] }, []],
  ])('finds for %j: %j', async (variables, found) => {
    const given = JSON.stringify(variables).replaceAll(/"@([^"]+)"/g, (_, name: string) => `"${ids[name]}"`)
    expect(await names(JSON.parse(given) as object)).toEqual(found)
  })

  it('is the same in REST, in pages', async () => {
    const all = await member.rest.userLookup!({ query: { includeInactive: true, limit: 100 } })
    expect(all.status).toBe(200)
    const pages: string[] = []
    let cursor: string | null = null
    do {
      const { body } = await member.rest.userLookup!({
        query: { includeInactive: true, limit: 2, includeTotal: false, ...(cursor && { cursor }) },
      })
      expect('total' in body).toBe(false)
      pages.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor as string | null
    } while (cursor)
    expect(pages).toEqual(all.body.data.map(({ id }: { id: string }) => id))
    expect(all.body.total).toBe(pages.length)
    const { body } = await member.rest.userLookup!({ query: { ids: `${ids['Elin Wester']},${newId()}` } })
    expect(body).toEqual({
      data: [elin()],
      page: 1,
      limit: 20,
      total: 1,
      totalPages: 1,
      hasMore: false,
      nextCursor: null,
    })
    expect((await member.rest.userLookup!({ query: { ids: ids['Zoe Foreign']! } })).body.data).toEqual([])
  })

  it('answers every member with any key, and nobody without a credential', async () => {
    for (const options of [{ scopes: ['READ_WEBHOOKS'] }, { role: 'READ_ONLY', visibility: 'OWN' }] as const) {
      const other = await platform.member({ organizationId: member.organizationId, ...options })
      expect(await names({ search: 'elin' }, other)).toEqual(['Elin Wester'])
      expect((await other.rest.userLookup!({ query: { search: 'elin' } })).body.data).toEqual([elin()])
    }
    expect(await names({ search: 'elin' }, stranger)).toEqual([])
    const anonymous = await fetch(`${platform.url}/v1/users`)
    expect([anonymous.status, ((await anonymous.json()) as { code: string }).code]).toEqual([401, 'UNAUTHENTICATED'])
    const response = await fetch(`${platform.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ userLookup { data { id } } }' }),
    })
    expect(response.status).toBe(401)
  })

  it.each([
    ['limit=101', 'limit'],
    [`search=${'x'.repeat(201)}`, 'search'],
    ['ids=1', 'ids.0'],
    ['ids=', 'ids'],
    ['includeInactive=yes', 'includeInactive'],
    ['cursor=x', 'cursor'],
  ])('refuses ?%s with 400', async (query, path) => {
    const { status, body } = await member.rest.userLookup!({ query })
    expect([status, body.errors[0].path]).toEqual([400, path])
  })

  it('refuses 101 ids', async () => {
    const { body } = await member.graphql('query ($ids: [ID!]) { userLookup(ids: $ids) { page } }', {
      ids: Array.from({ length: 101 }, newId),
    })
    expect(body.errors[0].extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'ids' }] })
  })
})

describe('User', () => {
  it('has only the id, the name, the address, the picture, whether the user is active, and who reports to whom', async () => {
    const { __type } = await data('{ __type(name: "User") { fields { name } } }')
    expect(__type.fields.map(({ name }: { name: string }) => name)).toEqual([
      'id',
      'name',
      'email',
      'avatar',
      'active',
      'managerId',
      'manager',
      'reports',
    ])
  })
})
