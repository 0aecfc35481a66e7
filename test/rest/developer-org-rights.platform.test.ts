import { beforeEach, describe, expect, it } from 'vitest'
import {
  listOrganizations,
  resumeOrganization,
  setEntitlements,
  suspendOrganization,
} from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { aPerson, type Person } from '../oauth/oauth.fixture.ts'
import { usePlatform } from '../platform.ts'
import { Developer, outcome } from './developer-orgs.fixture.ts'

const platform = usePlatform()
const code = usePlatform({ REGISTRATION: 'code' })
const closed = usePlatform({ REGISTRATION: 'off' })
let developer: Developer
let owner: Person

beforeEach(async () => {
  developer = await Developer.of(platform)
  owner = developer.owner
})

describe('developerOrgDelete', () => {
  it('ends the organization for ever, and leaves the others of its owner as they are', async () => {
    const [id, kept] = [await developer.created(owner, 'One'), await developer.created(owner, 'Two')]
    platform.advanceClock(1000)
    const inside = await developer.signedIn(id)
    const { body: key } = await inside.rest['apiKeyCreate']!({ body: { name: 'Sync', scopes: ['READ_ACCOUNTS'] } })
    const withKey = developer.client({ 'X-API-Key': key.secret })
    expect((await withKey['accountList']!()).status).toBe(200)
    const others = () =>
      platform.query('select * from identity.organization where id = any($1::uuid[]) order by id', [
        [owner.organizationId, kept],
      ])
    const before = await others()
    expect((await developer.delete(id)).status).toBe(204)
    expect(await others()).toEqual(before)
    platform.advanceClock(1000)
    for (const client of [inside.rest, withKey])
      expect(outcome(await client['accountList']!())).toBe('401 ORGANIZATION_SUSPENDED')
    expect(outcome(await developer.signIn(id))).toBe('401 ORGANIZATION_SUSPENDED')
    // The latest sign-in was to the deleted organization.
    expect((await developer.signIn()).body.organization.id).toBe(owner.organizationId)
    expect(await developer.listed()).toEqual([kept])
    expect(outcome(await owner.rest['developerOrg']!({ id }))).toBe('404 NOT_FOUND')
    expect(await developer.refused(() => developer.delete(id))).toBe('404 NOT_FOUND')
    expect((await developer.written(owner.organizationId)).events).toContain('developer_org.deleted')
    expect((await developer.written(owner.organizationId)).audit).toContain('developer_org.deleted')
    expect((await developer.written(id)).audit.at(-1)).toBe('organization.updated')
    expect(await platform.eventTypesOf(id)).toEqual([
      'organization.created',
      'developer_org.created',
      'organization.updated',
      'developer_org.deleted',
    ])
    await expect(resumeOrganization(platform.services, id)).rejects.toMatchObject({ code: 'INVALID_STATE' })
    await resumeOrganization(platform.services, owner.organizationId)
    expect(outcome(await withKey['accountList']!())).toBe('401 ORGANIZATION_SUSPENDED')
    const { organizations } = await listOrganizations(platform.services, 'One')
    expect(organizations.filter((organization) => organization.id === id)).toMatchObject([{ status: 'DELETED' }])
  })

  it('is for owners and admins of the organization that it belongs to only', async () => {
    const id = await developer.created()
    const stranger = await aPerson(platform, { role: 'OWNER' })
    const inside = await developer.signedIn(id)
    for (const { rest } of [stranger, inside]) {
      expect(await developer.refused(() => developer.delete(id, { rest }))).toBe('404 NOT_FOUND')
      expect(await developer.refused(() => rest['developerOrg']!({ id }))).toBe('404 NOT_FOUND')
      expect((await rest['developerOrgList']!()).body).toEqual([])
      expect(await developer.refused(() => rest['developerOrgDelete']!({ id: owner.organizationId }))).toBe(
        '404 NOT_FOUND',
      )
    }
    const admin = await aPerson(platform, { role: 'ADMIN', organizationId: owner.organizationId })
    expect(await developer.listed(admin)).toEqual([id])
    expect((await developer.delete(id, admin)).status).toBe(204)
  })
})

it.each(['MANAGER', 'MEMBER', 'READ_ONLY'] as const)('a %s may do none of it', async (role) => {
  const { rest } = await aPerson(platform, { role, organizationId: owner.organizationId })
  const id = await developer.created()
  for (const send of [
    () => developer.create({ rest }),
    () => rest['developerOrgList']!(),
    () => rest['developerOrg']!({ id }),
    () => developer.delete(id, { rest }),
  ])
    expect(await developer.refused(send)).toBe('403 PERMISSION_DENIED')
})

it('an API key may do none of it, and neither may somebody without a credential', async () => {
  const id = await developer.created()
  const { rest } = await platform.member({ role: 'OWNER', organizationId: owner.organizationId })
  for (const [client, refusal] of [
    [rest, '403 API_KEY_SCOPE_BLOCKED'],
    [developer.client(), '401 UNAUTHENTICATED'],
  ] as const)
    for (const send of [
      () => developer.create({ rest: client }),
      () => client['developerOrgList']!(),
      () => client['developerOrg']!({ id }),
      () => client['developerOrgDelete']!({ id }),
    ])
      expect(await developer.refused(send)).toBe(refusal)
})

it('they are made where people join by a code, and not where nobody can register', async () => {
  const [byCode, off] = [await Developer.of(code), await Developer.of(closed)]
  await byCode.created()
  expect(await off.refused(() => off.create())).toBe('403 PERMISSION_DENIED')
})

describe('the operator', () => {
  it('suspends and resumes developer organizations with the organization that they belong to', async () => {
    const id = await developer.created()
    const { rest } = await developer.signedIn(id)
    await suspendOrganization(platform.services, owner.organizationId)
    expect(outcome(await rest['accountList']!())).toBe('401 ORGANIZATION_SUSPENDED')
    await resumeOrganization(platform.services, owner.organizationId)
    expect((await rest['accountList']!()).status).toBe(200)
    await suspendOrganization(platform.services, id)
    expect((await owner.rest['developerOrg']!({ id })).body.status).toBe('SUSPENDED')
    expect((await owner.rest['accountList']!()).status).toBe(200)
  })

  it('gives developer organizations the plan of the organization that they belong to', async () => {
    const id = await developer.created()
    await setEntitlements(platform.services, owner.organizationId, ['catalog'])
    const { rest } = await developer.signedIn(id)
    expect((await rest['organizationAdministered']!()).body.entitlements).toEqual(['catalog'])
  })
})

describe('the database', () => {
  const tenant = (organizationId: string) => platform.services.tenants.of(organizationId)

  it('lets requests read their developer organizations, and change only their own organization', async () => {
    const id = await developer.created()
    const own = tenant(owner.organizationId)
    expect(await own.query('select id from identity.organization order by created_at, id')).toHaveLength(2)
    const change = `update identity.organization set name = 'x' where id = $1 returning 1`
    expect(await own.query(change, [id])).toEqual([])
    expect(await tenant(id).query('select id from identity.organization')).toEqual([{ id }])
    expect(await tenant(id).query(change, [owner.organizationId])).toEqual([])
  })

  it('resumes no deleted organization', async () => {
    const id = await developer.created()
    await developer.delete(id)
    await expect(
      platform.query(`update identity.organization set status = 'ACTIVE' where id = $1`, [id]),
    ).rejects.toMatchObject({ code: '23514' })
  })

  it('knows which organizations are of one developer', async () => {
    const other = await aPerson(platform, { role: 'OWNER' })
    const [parent, one, two, gone] = [
      owner.organizationId,
      await developer.created(),
      await developer.created(),
      await developer.created(),
    ]
    const strange = await developer.created(other)
    await owner.rest['developerOrgDelete']!({ id: gone })
    const all = [parent, one, two, gone, other.organizationId, strange, newId()]
    const related = (from: string) =>
      tenant(from).query<{ other: string }>(
        'select other from unnest($1::uuid[]) with ordinality u(other, n) where identity.is_of_same_developer(other) order by n',
        [all],
      )
    const answers: string[][] = []
    for (const from of all.slice(0, -1)) answers.push((await related(from)).map((row) => row.other))
    const family = [parent, one, two]
    const strangers = [other.organizationId, strange]
    expect(answers).toEqual([family, family, family, [gone], strangers, strangers])
    expect(
      await platform.query(
        'select identity.is_of_same_developer($1) as is, identity.is_of_same_developer(null) as none',
        [parent],
      ),
    ).toEqual([{ is: false, none: false }])
  })
})
