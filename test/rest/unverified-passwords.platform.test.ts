import { describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { newDirectory, patch, type Directory } from '../directory.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
const password = 'Correct horse 7!'
const newPassword = 'Another horse 8!'
const anEmail = () => `p${newId()}@example.com`
const anonymous = () => restClient(platform.contract, platform.url, {})
const outcome = ({ status, body }: Answer) => `${status} ${body?.errors?.[0]?.code ?? body?.code ?? ''}`.trim()

const register = (email: string) => anonymous().authRegister!({ body: { email, password, firstName: 'Real' } })
const login = async (email: string, organizationId: string, secret = password) =>
  outcome(await anonymous().authLogin!({ body: { email, password: secret, organizationId } }))
const mailed = async (email: string, subject: RegExp) =>
  (await mailsTo(platform, email)).findLast((mail) => subject.test(mail.subject))!.secret

async function resetPassword(email: string) {
  await anonymous().authForgotPassword!({ body: { email } })
  const code = await mailed(email, /^Your code/)
  return outcome(await anonymous().authResetPassword!({ body: { email, code, newPassword } }))
}

async function signInByLink(email: string) {
  await anonymous().authMagicLinkSend!({ body: { email } })
  const { body } = await anonymous().authMagicLink!({ query: { token: await mailed(email, /sign-in link/) } })
  return body.organization.id as string
}

const setActive = ({ scim }: Directory, id: string, value: boolean) =>
  scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value }))
const accept = (token: string, secret = password) =>
  anonymous().authAcceptPartnerInvite!({ body: { token, password: secret, firstName: 'Pat', lastName: 'Ng' } })

/** How a person who registered the address of another person can sign in there, if at all. */
const signInPaths: Record<string, (directory: Directory, email: string) => Promise<string>> = {
  'is provisioned': async ({ scim }, userName) => {
    await register(userName)
    const { status, body } = await scim('POST', '/Users', { userName })
    expect([status, body.active]).toEqual([201, true])
    return body.id as string
  },
  'is invited, then set active by the directory': async (directory, email) => {
    await register(email)
    const { id } = (await directory.admin.userInvite!({ body: { email } })).body
    expect((await setActive(directory, id, true)).body.active).toBe(true)
    return id as string
  },
  'is invited, then registered, then set active by the directory': async (directory, email) => {
    const { id } = (await directory.admin.userInvite!({ body: { email } })).body
    await register(email)
    await setActive(directory, id, true)
    return id as string
  },
  'is invited, then set inactive and active by the directory': async (directory, email) => {
    await register(email)
    const { id } = (await directory.admin.userInvite!({ body: { email } })).body
    await setActive(directory, id, false)
    await setActive(directory, id, true)
    return id as string
  },
  'is provisioned, deactivated and reactivated': async (directory, email) => {
    await register(email)
    const { id } = (await directory.scim('POST', '/Users', { userName: email })).body
    await directory.admin.userDeactivate!({ id })
    await directory.admin.userReactivate!({ id })
    return id as string
  },
  'is provisioned, leaves and is provisioned again': async ({ scim }, userName) => {
    await register(userName)
    const { id } = (await scim('POST', '/Users', { userName })).body
    await scim('DELETE', `/Users/${id}`)
    expect((await scim('POST', '/Users', { userName })).body.id).toBe(id)
    return id as string
  },
}

describe.each(Object.keys(signInPaths))('an address that was registered, never verified, and that %s', (way) => {
  it('accepts no earlier password, but the one that a mailed code sets', async () => {
    const directory = await newDirectory(platform)
    const { organizationId, admin } = directory
    const email = anEmail()
    const id = await signInPaths[way]!(directory, email)
    expect((await admin.user!({ id })).body.status).toBe('ACTIVE')
    expect(await login(email, organizationId)).toBe('401 UNAUTHENTICATED')
    const elsewhere = await anonymous().authLogin!({ body: { email, password } })
    expect([elsewhere.status, elsewhere.body.user.role]).toEqual([200, 'OWNER'])
    // Verifying an address does not prove who set the password.
    await anonymous().authVerifyEmail!({ query: { token: await mailed(email, /^Confirm/) } })
    expect(await login(email, organizationId)).toBe('401 UNAUTHENTICATED')
    expect(await resetPassword(email)).toBe('200')
    expect(await login(email, organizationId)).toBe('401 UNAUTHENTICATED')
    expect(await login(email, organizationId, newPassword)).toBe('200')
  })
})

describe('a user whom a directory provisioned', () => {
  it('signs in by link, which does not make the earlier password valid', async () => {
    const { organizationId, scim } = await newDirectory(platform)
    const email = anEmail()
    await scim('POST', '/Users', { userName: email })
    expect(await signInByLink(email)).toBe(organizationId)
    const other = await newDirectory(platform)
    const registered = anEmail()
    await register(registered)
    await other.scim('POST', '/Users', { userName: registered })
    await signInByLink(registered)
    expect(await login(registered, other.organizationId)).toBe('401 UNAUTHENTICATED')
  })

  it('accepts no earlier password after a link was used', async () => {
    const email = anEmail()
    await register(email)
    await signInByLink(email)
    const [one, two] = [await newDirectory(platform), await newDirectory(platform)]
    const { id } = (await one.scim('POST', '/Users', { userName: email })).body
    await anonymous().authVerifyEmail!({ query: { token: await mailed(email, /^Confirm/) } })
    await two.scim('POST', '/Users', { userName: email })
    await one.scim('DELETE', `/Users/${id}`)
    await one.scim('POST', '/Users', { userName: email })
    for (const { organizationId } of [one, two]) expect(await login(email, organizationId)).toBe('401 UNAUTHENTICATED')
    await resetPassword(email)
    for (const { organizationId } of [one, two]) expect(await login(email, organizationId, newPassword)).toBe('200')
  })

  it('keeps its password if it had verified the address before', async () => {
    const { organizationId, scim } = await newDirectory(platform)
    const email = anEmail()
    await register(email)
    await anonymous().authVerifyEmail!({ query: { token: await mailed(email, /^Confirm/) } })
    await scim('POST', '/Users', { userName: email })
    expect(await login(email, organizationId)).toBe('200')
  })
})

describe('a user who never accepted', () => {
  it('is invited again by a reactivation, and can act after accepting', async () => {
    const { organizationId, admin } = await newDirectory(platform)
    const email = anEmail()
    await register(email)
    const { id } = (await admin.userInvite!({ body: { email } })).body
    const first = await mailed(email, /^Invitation/)
    const deactivated = (await admin.userDeactivate!({ id })).body
    expect(deactivated).toMatchObject({ status: 'DEACTIVATED', timezone: 'UTC', emailVerified: false, invitedAt: null })
    const again = (await admin.userReactivate!({ id })).body
    expect(again).toMatchObject({ status: 'INVITED', isActive: false, invitedAt: platform.now.toISOString() })
    expect(await login(email, organizationId)).toBe('401 UNAUTHENTICATED')
    expect(outcome(await accept(first))).toBe('400 TOKEN_INVALID')
    const second = await mailed(email, /^Invitation/)
    expect(second).not.toBe(first)
    expect(outcome(await accept(second))).toBe('200')
    expect(await login(email, organizationId)).toBe('200')
    await admin.userDeactivate!({ id })
    expect((await admin.userReactivate!({ id })).body.status).toBe('ACTIVE')
  })

  it('can register while it is deactivated, as if it had not been invited', async () => {
    const { organizationId, admin } = await newDirectory(platform)
    const email = anEmail()
    const { id } = (await admin.userInvite!({ body: { email } })).body
    await admin.userDeactivate!({ id })
    expect((await register(email)).status).toBe(201)
    await admin.userReactivate!({ id })
    expect(await login(email, organizationId)).toBe('401 UNAUTHENTICATED')
  })
})
