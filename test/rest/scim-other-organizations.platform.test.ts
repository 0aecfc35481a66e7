import { describe, expect, it } from 'vitest'
import { deactivateUser, removeUser, updateUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { newDirectory, patch, scimWith, type Directory } from '../directory.ts'
import { refused } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
const password = 'Correct horse 7!'
const anEmail = () => `p${newId()}@example.com`
const anonymous = () => restClient(platform.contract, platform.url, {})
const bearer = (token: string) => restClient(platform.contract, platform.url, { Authorization: `Bearer ${token}` })
const mailed = async (email: string, subject: RegExp) =>
  (await mailsTo(platform, email)).findLast((mail) => subject.test(mail.subject))!.secret

/** A person with an organization, a verified address, and personal settings. */
async function personOfAnotherOrganization() {
  const email = anEmail()
  const { body } = await anonymous().authRegister!({
    body: { email, password, firstName: 'Real', lastName: 'Elsewhere' },
  })
  await anonymous().authVerifyEmail!({ query: { token: await mailed(email, /^Confirm/) } })
  const own = bearer(body.accessToken as string)
  await own.authUpdateProfile!({ body: { timezone: 'Europe/Oslo', locale: 'nb-NO' } })
  return { email, own, organizationId: body.organization.id as string, userId: body.user.id as string }
}

const people: Record<string, () => Promise<string>> = {
  nobody: async () => anEmail(),
  'a person with an account': async () => (await personOfAnotherOrganization()).email,
  'a person whom another organization provisioned': async () => {
    const email = anEmail()
    await (await newDirectory(platform)).scim('POST', '/Users', { userName: email })
    return email
  },
}

/** A response without values that differ in every run: ids, addresses and times. */
const shapeOf = (answer: Answer, ...names: string[]) =>
  [answer.status, JSON.stringify(answer.body)]
    .join(' ')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
    .replaceAll(new RegExp(names.join('|'), 'g'), 'name')

const rename = ({ scim }: Directory, id: string, userName: string) =>
  scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'userName', value: userName }))

/** Every response to an organization while it provisions, reads and changes an address. */
async function outcome(email: string, next: string): Promise<string[]> {
  const directory = await newDirectory(platform)
  const { scim, admin } = directory
  const created = await scim('POST', '/Users', { userName: email, displayName: 'Ours' })
  const id = created.body.id as string
  const user = await admin.user!({ id })
  const renamed = await rename(directory, id, next)
  const after = await admin.user!({ id })
  const back = await rename(directory, id, email)
  const log = await admin.auditLogEntryList!({ query: { targetId: id, limit: 100 } })
  const events = { status: 200, headers: new Headers(), body: await platform.eventsOf(id) } as never
  return [created, user, renamed, after, back, log, events].map((answer) => shapeOf(answer, email, next))
}

describe('the data of a person that an organization sees', () => {
  it.each(Object.keys(people))(
    'is the same for %s as for an unknown address, in SCIM, REST, events and audit log',
    async (who) => {
      const expected = await outcome(anEmail(), anEmail())
      expect(await outcome(await people[who]!(), anEmail())).toEqual(expected)
      expect(await outcome(anEmail(), await people[who]!())).toEqual(expected)
      expect(expected[1]).toMatch(/^200 .*"emailVerified":false.*"timezone":"UTC","locale":"en"/)
      expect(expected.slice(2, 5).map((text) => text.slice(0, 3))).toEqual(['200', '200', '200'])
    },
  )

  it('contains nothing from other organizations until the person signs in to this one', async () => {
    const directory = await newDirectory(platform)
    const { email } = await personOfAnotherOrganization()
    const { id } = (await directory.scim('POST', '/Users', { userName: email })).body
    const visibleData = async () => [
      await platform.eventTypesOf(id),
      (await directory.admin.auditLogEntryList!({ query: { targetId: id } })).body.total,
      (await directory.admin.user!({ id })).body.timezone,
    ]
    const before = await visibleData()
    await anonymous().authForgotPassword!({ body: { email } })
    const code = await mailed(email, /^Your code/)
    await anonymous().authResetPassword!({ body: { email, code, newPassword: password } })
    const elsewhere = (await anonymous().authLogin!({ body: { email, password } })).body
    expect(elsewhere.organization.id).not.toBe(directory.organizationId)
    await bearer(elsewhere.accessToken as string).authUpdateProfile!({ body: { timezone: 'Europe/Paris' } })
    expect(await visibleData()).toEqual(before)

    const { organizationId } = directory
    expect((await anonymous().authLogin!({ body: { email, password, organizationId } })).status).toBe(200)
    expect((await directory.admin.user!({ id })).body).toMatchObject({
      timezone: 'Europe/Paris',
      locale: 'nb-NO',
      emailVerified: true,
    })
    expect((await platform.eventsOf(id)).at(-1)).toMatchObject({
      type: 'user.updated',
      data: { changedFields: ['emailVerified', 'timezone', 'locale'], previous: { timezone: 'UTC' } },
    })
  })
})

describe('a new userName', () => {
  it('gives the user to the reader of the address, and does not change the previous account', async () => {
    const directory = await newDirectory(platform)
    const { organizationId } = directory
    const person = await personOfAnotherOrganization()
    const { id } = (await directory.scim('POST', '/Users', { userName: person.email })).body
    const login = (email: string, body: object = {}) => anonymous().authLogin!({ body: { email, password, ...body } })
    const here = bearer((await login(person.email, { organizationId })).body.accessToken as string)
    expect((await here.me!()).body.id).toBe(id)

    const next = anEmail()
    expect((await rename(directory, id, next)).status).toBe(200)
    expect((await login(person.email, { organizationId })).status).toBe(401)
    await expect.poll(async () => (await here.me!()).status).toBe(401)
    expect((await login(person.email)).body.organization.id).toBe(person.organizationId)
    expect((await person.own.me!()).body.email).toBe(person.email)

    await anonymous().authMagicLinkSend!({ body: { email: next } })
    const { body } = await anonymous().authMagicLink!({ query: { token: await mailed(next, /sign-in link/) } })
    expect(body.user).toMatchObject({ id, email: next, organizationId })
  })

  it('is refused with 409 when another user of the organization has it, also one who left', async () => {
    const directory = await newDirectory(platform)
    const [one, two, three] = [anEmail(), anEmail(), anEmail()]
    const { id } = (await directory.scim('POST', '/Users', { userName: one })).body
    await directory.scim('POST', '/Users', { userName: two })
    const gone = (await directory.scim('POST', '/Users', { userName: three })).body.id as string
    await directory.scim('DELETE', `/Users/${gone}`)
    for (const taken of [two, three]) {
      expect(await refused(platform, () => rename(directory, id, taken))).toEqual([409, 'UNIQUE_VIOLATION'])
    }
  })
})

describe('the token of a directory', () => {
  const answers = async ({ scim }: Directory) => (await scim('GET', '/Users')).status
  const withAdmin = async () => {
    const directory = await newDirectory(platform)
    const { organizationId } = directory
    const admin = await platform.member({ organizationId, role: 'ADMIN' })
    const { token } = (await bearer(await sessionOf(platform, admin)).scimTokenRotate!()).body
    return { ...directory, maker: admin.userId, scim: scimWith(platform, token as string) }
  }

  it('works while its creator is an owner or admin, and owners see whether it works', async () => {
    const directory = await withAdmin()
    const { organizationId, maker, scim, admin } = directory
    const isActive = async () => (await admin.scimToken!()).body.isActive as boolean
    expect([await answers(directory), await isActive()]).toEqual([200, true])
    await updateUser(platform.services, organizationId, maker, { role: 'MANAGER' })
    expect([await answers(directory), await isActive()]).toEqual([401, false])
    expect(await refused(platform, () => scim('POST', '/Users', { userName: anEmail() }))).toEqual([
      401,
      'UNAUTHENTICATED',
    ])
    await updateUser(platform.services, organizationId, maker, { role: 'ADMIN' })
    expect(await answers(directory)).toBe(200)
    await deactivateUser(platform.services, organizationId, maker)
    expect([await answers(directory), await isActive()]).toEqual([401, false])
    expect((await admin.scimToken!()).body.createdById).toBe(maker)
  })

  it('is revoked permanently when its creator leaves, also if that user returns', async () => {
    const directory = await withAdmin()
    const { organizationId, maker, admin } = directory
    const { email } = (await admin.user!({ id: maker })).body
    await removeUser(platform.services, organizationId, maker)
    expect(await answers(directory)).toBe(401)
    const { body } = await admin.userInvite!({ body: { email, role: 'ADMIN' } })
    expect(body.id).toBe(maker)
    const invited = { token: await mailed(email, /^Invitation/), password, firstName: 'Ann', lastName: 'Lee' }
    expect((await anonymous().authAcceptPartnerInvite!({ body: invited })).status).toBe(200)
    expect(await answers(directory)).toBe(401)
    expect((await admin.scimToken!()).body).toMatchObject({ isActive: false, prefix: null })
  })
})
