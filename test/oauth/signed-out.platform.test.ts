import * as oauth from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { deactivateUser, removeUser, suspendOrganization, updateUser } from '../../subgraphs/identity/public.ts'
import { scimWith, patch } from '../directory.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { restClient } from '../rest-client.ts'
import {
  allowed,
  anApp,
  aPerson,
  discovered,
  password,
  refusalOf,
  started,
  tokensOf,
  withToken,
  type App,
  type Person,
} from './oauth.fixture.ts'

const platform = usePlatform()
const newPassword = 'Another horse 8!'
const anonymous = () => restClient(platform.contract, platform.url, {})
let app: App
let config: oauth.Configuration

beforeAll(async () => {
  app = await anApp(await aPerson(platform, { role: 'ADMIN' }))
  config = await discovered(platform.url, app)
})

const lastMailed = async (email: string) => (await mailsTo(platform, email)).at(-1)!.secret

/** A user of an organization that has an owner and a directory. */
async function createMembers() {
  const owner = await aPerson(platform, { role: 'OWNER' })
  const { organizationId } = owner
  const person = await aPerson(platform, { organizationId })
  return { owner, person }
}
type Members = Awaited<ReturnType<typeof createMembers>>

async function directoryOf({ owner }: Members) {
  const { token } = (await owner.rest['scimTokenRotate']!()).body
  return scimWith(platform, token as string)
}

/** Operations that end every session of a person. */
const ends: Record<string, (members: Members) => Promise<unknown>> = {
  'a change of the password': ({ person }) =>
    person.rest['authChangePassword']!({ body: { currentPassword: password, newPassword } }),
  'a reset of the password': async ({ person: { email } }) => {
    await anonymous()['authForgotPassword']!({ body: { email } })
    await anonymous()['authResetPassword']!({ body: { email, code: await lastMailed(email), newPassword } })
  },
  'signing out everywhere': ({ person }) => person.rest['authLogoutAll']!(),
  'a deactivation followed by a reactivation': async ({ owner, person: { userId: id } }) => {
    await owner.rest['userDeactivate']!({ id })
    await owner.rest['userReactivate']!({ id })
  },
  'a deactivation and reactivation by a directory': async (members) => {
    const scim = await directoryOf(members)
    for (const value of [false, true]) {
      const setting = patch({ op: 'replace', path: 'active', value })
      expect((await scim('PATCH', `/Users/${members.person.userId}`, setting)).status).toBe(200)
    }
  },
  'a removal followed by a new invitation': async ({ owner, person: { userId: id, email } }) => {
    await owner.rest['userDelete']!({ id })
    await owner.rest['userInvite']!({ body: { email } })
    const accepted = { token: await lastMailed(email), password, firstName: 'Ann', lastName: 'Lee' }
    expect((await anonymous()['authAcceptPartnerInvite']!({ body: accepted })).body.user.id).toBe(id)
  },
  'a removal and new provisioning by a directory': async (members) => {
    const scim = await directoryOf(members)
    await scim('DELETE', `/Users/${members.person.userId}`)
    expect((await scim('POST', '/Users', { userName: members.person.email })).body.id).toBe(members.person.userId)
  },
  'another userName': async (members) => {
    const renaming = patch({ op: 'replace', path: 'userName', value: `x${members.person.email}` })
    expect((await (await directoryOf(members))('PATCH', `/Users/${members.person.userId}`, renaming)).status).toBe(200)
  },
}

const grantsOf = ({ userId }: Person) =>
  platform.query('select 1 from identity.oauth_grant where user_id = $1', [userId])

describe.each(Object.keys(ends))('%s', (what) => {
  it('ends the sign-in on the authorization page, which then requires a new one', async () => {
    const members = await createMembers()
    const { person } = members
    const start = await started(platform, config)
    const consent = await start.browser.submit(start.page, 'sign-in', { email: person.email, password })
    await ends[what]!(members)
    const answer = await start.browser.submit(consent, 'decision', {
      decision: 'allow',
      organization: person.organizationId,
    })
    expect([answer.status, answer.url.startsWith(platform.url)]).toEqual([401, true])
    expect(answer.text).toContain('type="password"')
    const again = await start.browser.submit(consent, 'decision', {
      decision: 'allow',
      organization: person.organizationId,
    })
    expect(again.text).toContain('type="password"')
    expect(await grantsOf(person)).toEqual([])
  })

  it('invalidates a code that was not exchanged yet', async () => {
    const members = await createMembers()
    const start = await started(platform, config)
    const end = await allowed(start, members.person)
    await ends[what]!(members)
    expect(await refusalOf(oauth.authorizationCodeGrant(config, end, start.checks))).toBe('400 invalid_grant')
  })

  it('revokes the consent with its tokens, with an audit log entry', async () => {
    const members = await createMembers()
    const { access_token, refresh_token } = await tokensOf(platform, config, members.person)
    expect((await withToken(platform, access_token)['accountList']!()).status).toBe(200)
    await ends[what]!(members)
    platform.advanceClock(1000)
    expect((await withToken(platform, access_token)['accountList']!()).body.code).toBe('UNAUTHENTICATED')
    expect(await refusalOf(oauth.refreshTokenGrant(config, refresh_token!))).toBe('400 invalid_grant')
    expect(await grantsOf(members.person)).toEqual([])
    const { data } = (
      await members.owner.rest['auditLogEntryList']!({ query: { action: 'oauth_grant.ended', limit: 100 } })
    ).body
    expect(data).toMatchObject([{ before: { appId: app.id, userId: members.person.userId } }])
  })
})

/** Consents to an app and returns the redirect URL without following it. */
async function decided({ browser, page }: Awaited<ReturnType<typeof started>>, person: Person): Promise<string> {
  const consent = await browser.submit(page, 'sign-in', { email: person.email, password })
  const [, target] = /action="([^"]*\/decision)"/.exec(consent.text)!
  const path = new URL(target!, consent.url).pathname
  const cookie = browser
    .cookies()
    .filter((kept) => path.startsWith(kept.path))
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  const response = await fetch(platform.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams({ decision: 'allow', organization: person.organizationId }),
  })
  expect(response.status).toBe(303)
  return response.headers.get('location')!
}

describe('between the consent and the redirect to the app', () => {
  it.each(['a change of the password', 'a removal followed by a new invitation'])(
    '%s invalidates the code',
    async (what) => {
      const members = await createMembers()
      const start = await started(platform, config)
      const back = await decided(start, members.person)
      await ends[what]!(members)
      const end = new URL((await start.browser.open(back)).url)
      expect([end.searchParams.get('error'), end.searchParams.get('code')]).toEqual(['access_denied', null])
      expect(
        await platform.query('select 1 from identity.oauth_token where user_id = $1', [members.person.userId]),
      ).toEqual([])
    },
  )

  it('a deactivation ends the authorization', async () => {
    const { person } = await createMembers()
    const start = await started(platform, config)
    const back = await decided(start, person)
    await deactivateUser(platform.services, person.organizationId, person.userId)
    const page = await start.browser.open(back)
    expect([page.status, page.url.startsWith(platform.url)]).toEqual([400, true])
    expect(page.text).toContain('Go back to the app and start again.')
  })
})

describe('a consent', () => {
  it('is refused in an organization that was suspended after the sign-in', async () => {
    const { person } = await createMembers()
    const start = await started(platform, config)
    const consent = await start.browser.submit(start.page, 'sign-in', { email: person.email, password })
    await suspendOrganization(platform.services, person.organizationId)
    const answer = await start.browser.submit(consent, 'decision', {
      decision: 'allow',
      organization: person.organizationId,
    })
    expect([answer.status, await grantsOf(person)]).toEqual([401, []])
  })

  it('waits for a concurrent change of the password, and is then refused', async () => {
    const { person } = await createMembers()
    const start = await started(platform, config)
    const consent = await start.browser.submit(start.page, 'sign-in', { email: person.email, password })
    const [answer] = await platform.services.database.transaction(async (sql) => {
      await sql.query('lock table kernel.mail in share mode')
      const changing = person.rest['authChangePassword']!({ body: { currentPassword: password, newPassword } })
      await expect.poll(() => platform.waitingForLocks(), { interval: 1 }).toBe(1)
      const decision = { decision: 'allow', organization: person.organizationId }
      const submitted = start.browser.submit(consent, 'decision', decision)
      await expect.poll(() => platform.waitingForLocks(), { interval: 1 }).toBe(2)
      return [Promise.all([submitted, changing])]
    })
    expect((await answer).map(({ status }) => status)).toEqual([401, 200])
    expect(await grantsOf(person)).toEqual([])
  })

  it('stays valid after a sign-out of one session and a change of the role', async () => {
    const { person } = await createMembers()
    const { refresh_token } = await tokensOf(platform, config, person)
    await person.rest['authLogout']!()
    await updateUser(platform.services, person.organizationId, person.userId, { role: 'READ_ONLY' })
    expect(await refusalOf(oauth.refreshTokenGrant(config, refresh_token!))).toBe('allowed')
  })
})

describe('a user who leaves and returns', () => {
  it('has none of the former credentials, and invitations that it sent before are invalid', async () => {
    const members = await createMembers()
    const { owner, person } = members
    const { organizationId, userId } = person
    await updateUser(platform.services, organizationId, userId, { role: 'ADMIN' })
    const ownApp = await anApp(person)
    const asOwner = await oauth.clientCredentialsGrant(await discovered(platform.url, ownApp), {
      scope: 'READ_ACCOUNTS',
    })
    const key = (await person.rest['apiKeyCreate']!({ body: { name: 'Sync', scopes: ['READ_ACCOUNTS'] } })).body
    const withKey = restClient(platform.contract, platform.url, { 'X-API-Key': key.secret as string })
    const invited = `guest-${person.email}`
    await person.rest['userInvite']!({ body: { email: invited } })
    const invitation = await lastMailed(invited)
    const works = async () => [
      (await withToken(platform, asOwner.access_token)['accountList']!()).status,
      (await withKey['accountList']!()).status,
      (await person.rest['me']!()).status,
    ]
    expect(await works()).toEqual([200, 200, 200])
    await removeUser(platform.services, organizationId, userId)
    await owner.rest['userInvite']!({ body: { email: person.email, role: 'ADMIN' } })
    const accepted = { password, firstName: 'Ann', lastName: 'Lee' }
    const back = await anonymous()['authAcceptPartnerInvite']!({
      body: { ...accepted, token: await lastMailed(person.email) },
    })
    expect(back.body.user).toMatchObject({ id: userId, role: 'ADMIN' })
    platform.advanceClock(1000)
    expect(await works()).toEqual([401, 401, 401])
    const acceptedResponse = await anonymous()['authAcceptPartnerInvite']!({ body: { ...accepted, token: invitation } })
    expect([acceptedResponse.status, acceptedResponse.body.errors[0].code]).toEqual([400, 'TOKEN_INVALID'])
  })
})
