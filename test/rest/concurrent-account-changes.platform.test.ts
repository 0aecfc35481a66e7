import { describe, expect, it } from 'vitest'
import { deactivateUser, removeUser, updateUser } from '../../subgraphs/identity/public.ts'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { newDirectory, patch } from '../directory.ts'
import { usePlatform } from '../platform.ts'
import { restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
const password = 'Correct horse 7!'
const newPassword = 'Another horse 8!'
const anEmail = () => `p${newId()}@example.com`
const anonymous = () => restClient(platform.contract, platform.url, {})
const bearer = (token: string) => restClient(platform.contract, platform.url, { Authorization: `Bearer ${token}` })
const outcome = ({ status, body }: Answer) => `${status} ${body?.errors?.[0]?.code ?? body?.code ?? ''}`.trim()
const waiting = (count: number) => expect.poll(() => platform.waitingForLocks(), { interval: 1 }).toBe(count)

/** A person whose only organization has a directory. */
async function personInDirectory() {
  const directory = await newDirectory(platform)
  const { organizationId } = directory
  const [{ code }] = (await platform.query('select code from identity.organization where id = $1', [
    organizationId,
  ])) as [{ code: string }]
  const email = anEmail()
  const body = { email, password, organizationCode: code }
  const { user, accessToken } = (await anonymous().authRegister!({ body })).body
  return { directory, organizationId, email, userId: user.id as string, rest: bearer(accessToken as string) }
}

const lockPerson = (sql: Sql, email: string) =>
  sql.query('select 1 from identity.person where email = $1 for no key update', [email])

/**
 * Starts a request that hashes a password, and runs `happens` after the request has read its data and before it writes: the row of
 * the person is locked during that time.
 */
async function withConcurrentChange(
  email: string,
  begin: () => Promise<Answer>,
  happens: () => Promise<unknown>,
): Promise<Answer> {
  const [pending] = await platform.inSeparateTransaction(async (sql) => {
    await lockPerson(sql, email)
    const answer = begin()
    await waiting(1)
    await happens()
    return [answer]
  })
  return pending
}

const liveSessions = async (userId: string) =>
  (await platform.query('select 1 from identity.session where user_id = $1 and ended_at is null', [userId])).length

describe('authRegister', () => {
  it('adds a membership only for the requested address, even if a directory changes it meanwhile', async () => {
    const { directory, email, userId } = await personInDirectory()
    const [target] = await platform.query<{ code: string; id: string }>(
      'select id, code from identity.organization where id = $1',
      [await platform.organization('Target')],
    )
    const attackers = anEmail()
    const renaming = patch({ op: 'replace', path: 'userName', value: attackers })
    const requests = await platform.inSeparateTransaction(async (sql) => {
      await lockPerson(sql, email)
      const renamed = directory.scim('PATCH', `/Users/${userId}`, renaming)
      await waiting(1)
      const registered = anonymous().authRegister!({ body: { email, password, organizationCode: target!.code } })
      await waiting(2)
      return [renamed, registered]
    })
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 201])
    const members = await platform.query(
      `select p.email from identity.app_user u join identity.person p on p.id = u.person_id where u.organization_id = $1`,
      [target!.id],
    )
    expect(members).toEqual([{ email }])
  })

  it('requires the password again when the address has changed meanwhile', async () => {
    const { email, userId } = await personInDirectory()
    const requests = await platform.inSeparateTransaction(async (sql) => {
      await lockPerson(sql, email)
      const registered = anonymous().authRegister!({ body: { email, password } })
      await waiting(1)
      await sql.query('update identity.person set email = $2 where email = $1', [email, anEmail()])
      return [registered]
    })
    expect(outcome(await requests[0]!)).toBe('401 UNAUTHENTICATED')
    expect(
      await platform.query(
        `select 1 from identity.app_user where person_id = (select person_id from identity.app_user where id = $1)`,
        [userId],
      ),
    ).toHaveLength(1)
  })

  it.each([
    ['is suspended', `status = 'SUSPENDED'`],
    ['has another code', `code = code || 'X'`],
  ])('joins no organization that %s while the password is hashed', async (_what, change) => {
    const organizationId = await platform.organization()
    const [{ code }] = (await platform.query('select code from identity.organization where id = $1', [
      organizationId,
    ])) as [{ code: string }]
    const requests = await platform.inSeparateTransaction(async (sql) => {
      await sql.query(`update identity.organization set ${change} where id = $1`, [organizationId])
      const registered = anonymous().authRegister!({ body: { email: anEmail(), password, organizationCode: code } })
      await waiting(1)
      return [registered]
    })
    expect(outcome(await requests[0]!)).toBe('400 UNKNOWN_REFERENCE')
    expect(
      await platform.query('select 1 from identity.app_user where organization_id = $1', [organizationId]),
    ).toEqual([])
  })
})

describe('authLogin', () => {
  it.each(['is deactivated', 'is removed'])(
    'starts no session of a user who %s while the password is hashed',
    async (what) => {
      const { email, organizationId, userId } = await personInDirectory()
      const end = what === 'is deactivated' ? deactivateUser : removeUser
      const answer = await withConcurrentChange(
        email,
        () => anonymous().authLogin!({ body: { email, password } }),
        () => end(platform.services, organizationId, userId),
      )
      expect([outcome(answer), await liveSessions(userId)]).toEqual(['401 UNAUTHENTICATED', 0])
    },
  )

  it('starts no session that survives a concurrent deactivation', async () => {
    const { email, organizationId, userId } = await personInDirectory()
    const requests = await platform.inSeparateTransaction(async (sql) => {
      // The session is inserted but not committed; the deactivation must still end it.
      await sql.query('lock table identity.refresh_token in share mode')
      const signedIn = anonymous().authLogin!({ body: { email, password } })
      await waiting(1)
      const ended = deactivateUser(platform.services, organizationId, userId)
      await waiting(2)
      return [signedIn.then(outcome), ended.then(({ isActive }) => String(isActive))]
    })
    expect(await Promise.all(requests)).toEqual(['200', 'false'])
    await updateUser(platform.services, organizationId, userId, { isActive: true })
    expect(await liveSessions(userId)).toBe(0)
  })
})

describe('authChangePassword', () => {
  it.each(['is deactivated', 'is removed'])(
    'changes nothing for a user who %s while the password is hashed',
    async (what) => {
      const { email, organizationId, userId, rest } = await personInDirectory()
      const end = what === 'is deactivated' ? deactivateUser : removeUser
      const hash = () => platform.query('select password_hash from identity.person where email = $1', [email])
      const before = await hash()
      const answer = await withConcurrentChange(
        email,
        () => rest.authChangePassword!({ body: { currentPassword: password, newPassword } }),
        () => end(platform.services, organizationId, userId),
      )
      expect([outcome(answer), await liveSessions(userId)]).toEqual(['401 UNAUTHENTICATED', 0])
      expect(await hash()).toEqual(before)
    },
  )
})

describe('concurrent operations that start and end sessions', () => {
  it('cause no deadlock', async () => {
    for (let round = 0; round < 12; round++) {
      const { directory, email, userId, rest } = await personInDirectory()
      const setting = (path: string, value: unknown) => patch({ op: 'replace', path, value })
      const change = (body: object) => directory.scim('PATCH', `/Users/${userId}`, body)
      const login = () => anonymous().authLogin!({ body: { email, password } })
      const requests = [
        login,
        () => rest.authChangePassword!({ body: { currentPassword: password, newPassword } }),
        () => rest.authUpdateProfile!({ body: { firstName: 'Ann' } }),
        () => rest.authLogoutAll!(),
        login,
        () => change(setting('active', false)),
        () => change(setting('active', true)),
        () => change(setting('userName', anEmail())),
        () => directory.admin.userUpdate!({ id: userId, body: { role: 'ADMIN' } }),
        () => anonymous().authRegister!({ body: { email, password } }),
        login,
        () => directory.admin.userDelete!({ id: userId }),
      ]
      const order = [...requests.keys()].toSorted((a, b) => ((a * 5 + round) % 12) - ((b * 5 + round) % 12))
      const answers = await Promise.all(order.map((index) => requests[index]!()))
      expect(answers.filter(({ status }) => status >= 500).map(outcome)).toEqual([])
      expect(await liveSessions(userId)).toBe(0)
    }
  })
})
