import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { newDirectory, patch, type Directory } from '../directory.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'

const platform = usePlatform()
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const core = 'urn:ietf:params:scim:schemas:core:2.0:User'

let directory: Directory
beforeAll(async () => {
  directory = await newDirectory(platform)
})

/** The targets of the default mappings of Entra ID, other than those that we keep, and further core attributes of RFC 7643. */
const ofEntra: readonly (readonly [path: string, value: unknown])[] = [
  ['title', 'Engineer'],
  ['emails[type eq "work"].value', 'mara@work.example'],
  ['preferredLanguage', 'de-DE'],
  ['addresses[type eq "work"].formatted', 'Way 1, Berlin'],
  ['addresses[type eq "work"].streetAddress', 'Way 1'],
  ['addresses[type eq "work"].locality', 'Berlin'],
  ['addresses[type eq "work"].region', 'BE'],
  ['addresses[type eq "work"].postalCode', '10115'],
  ['addresses[type eq "work"].country', 'DE'],
  ['phoneNumbers[type eq "work"].value', '+49 30 1'],
  ['phoneNumbers[type eq "mobile"].value', '+49 170 1'],
  ['phoneNumbers[type eq "fax"].value', '+49 30 2'],
  [`${enterprise}:employeeNumber`, '7'],
  [`${enterprise}:department`, 'Sales'],
]

/** The attributes that the templates of Okta send in whole users. */
const ofOkta = {
  schemas: [core, enterprise],
  emails: [{ value: 'mara@work.example', type: 'work', primary: true }],
  nickName: 'Mara',
  userType: 'Employee',
  title: 'Engineer',
  preferredLanguage: 'de',
  locale: 'de-DE',
  timezone: 'Europe/Berlin',
  profileUrl: 'https://people.example/mara',
  password: 'Correct horse 7!',
  phoneNumbers: [{ value: '+49 30 1', type: 'work', primary: true }],
  addresses: [{ type: 'work', country: 'DE', primary: true }],
  groups: [],
  [enterprise]: { employeeNumber: '7', costCenter: '1', organization: 'A', division: 'B', department: 'C' },
}

const others: readonly (readonly [path: string, value: unknown])[] = [
  ...Object.entries(ofOkta),
  ['name.middleName', 'Ann'],
  ['name.honorificPrefix', 'Dr.'],
  ['name.honorificSuffix', 'III'],
  ['name', { middleName: 'Ann' }],
  ['emails', [{ value: 'mara@private.example', type: 'home' }]],
  ['emails.value', 'mara@private.example'],
  ['emails[type eq "home"].value', 'mara@private.example'],
  ['emails[type eq "other"]', { value: 'mara@private.example' }],
  ['emails[primary eq true].value', 'mara@private.example'],
  ['emails[type eq "work" and primary eq true].value', 'mara@private.example'],
  [`${core}:emails[type eq "work"].value`, 'mara@private.example'],
  ['phoneNumbers[type eq "pager" or type eq "home"].value', '1'],
  ['ims[type eq "xmpp"].value', 'mara@chat.example'],
  ['photos[type eq "photo"].value', 'https://people.example/mara.png'],
  ['entitlements', [{ value: 'x' }]],
  ['x509Certificates[type eq "x"].value', 'TUlJ'],
  ['meta', { resourceType: 'User' }],
  [`${enterprise}:manager.displayName`, 'Bea'],
]

async function aPerson() {
  const member = await platform.member({ organizationId: directory.organizationId })
  const session = await sessionOf(platform, member)
  const path = `/Users/${member.userId}`
  const signedIn = async () =>
    (await fetch(`${platform.url}/v1/auth/me`, { headers: { authorization: `Bearer ${session}` } })).status
  const { body: before } = await directory.scim('GET', path)
  return { path, signedIn, before }
}

describe('a PATCH with an attribute that is not kept', () => {
  it.each(
    [...ofEntra, ...others].flatMap(([path, value]) => ['Add', 'Replace', 'remove'].map((op) => [op, path, value])),
  )('%s %s does not stop the rest, and changes nothing else', async (op, path, value) => {
    const { scim } = directory
    const { path: user, signedIn, before } = await aPerson()
    const named = op === 'remove' ? { op, path } : { op, path, value }
    const patched = await scim('PATCH', user, patch(named, { op: 'Replace', path: 'externalId', value: newId() }))
    const { externalId, meta } = patched.body
    expect([patched.status, patched.body]).toEqual([200, { ...before, externalId, meta }])
    expect(externalId).toBeTruthy()
    expect(await signedIn()).toBe(200)
  })

  it('without a path does not stop the rest, and changes nothing else', async () => {
    const { path, signedIn, before } = await aPerson()
    const value = Object.fromEntries([...ofEntra, ...others])
    const patched = await directory.scim('PATCH', path, patch({ op: 'replace', value }))
    expect([patched.status, patched.body]).toEqual([200, before])
    expect(await signedIn()).toBe(200)
    const leaving = { ...value, active: false }
    expect((await directory.scim('PATCH', path, patch({ op: 'replace', value: leaving }))).body).toEqual({
      ...before,
      active: false,
      meta: expect.any(Object),
    })
    await expect.poll(signedIn).toBe(401)
  })
})

describe('a whole user with attributes that are not kept', () => {
  it.each(['POST', 'PUT'])('%s', async (method) => {
    const { scim } = directory
    const userName = `p${newId()}@example.com`
    const body = {
      ...ofOkta,
      userName,
      name: { givenName: 'Mara', familyName: 'Lee', middleName: 'Ann' },
      active: true,
    }
    const path = method === 'POST' ? '/Users' : `/Users/${(await scim('POST', '/Users', { userName })).body.id}`
    const answer = await scim(method, path, body)
    expect([answer.status, answer.body]).toMatchObject([
      method === 'POST' ? 201 : 200,
      { userName, emails: [{ value: userName, type: 'work', primary: true }], displayName: 'Mara Lee', active: true },
    ])
    expect(Object.keys(answer.body).toSorted()).toEqual(
      ['active', 'displayName', 'emails', 'groups', 'id', 'meta', 'name', 'roles', 'schemas', 'userName'].toSorted(),
    )
  })
})

describe('a group', () => {
  it.each(['POST', 'PUT', 'PATCH with a path', 'PATCH without a path'])('with a description: %s', async (how) => {
    const { scim } = directory
    const [method] = how.split(' ') as [string]
    const displayName = `G ${newId()}`
    const group = { displayName, description: 'Sells', meta: {}, 'urn:acme:hr:2.0:Group': { grade: 3 } }
    const body = {
      POST: group,
      PUT: group,
      'PATCH with a path': patch(
        { op: 'Replace', path: 'description', value: 'Sells' },
        { op: 'Replace', path: 'displayName', value: displayName },
      ),
      'PATCH without a path': patch({ op: 'replace', value: group }),
    }[how]
    const path =
      method === 'POST' ? '/Groups' : `/Groups/${(await scim('POST', '/Groups', { displayName: newId() })).body.id}`
    const answer = await scim(method, path, body)
    expect([answer.status, answer.body.displayName]).toEqual([method === 'POST' ? 201 : 200, displayName])
  })
})
