import { describe, expect, it } from 'vitest'
import { usePlatform } from '../platform.ts'

const platform = usePlatform()
/** More requests than the pool has connections. */
const concurrentRequests = 24
const password = 'Correct horse 7!'
const changePassword = 'mutation($input: ChangePasswordInput!) { authChangePassword(input: $input) { tokenType } }'

const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${platform.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const statuses = (answers: readonly Response[]) => answers.map(({ status }) => status)
const each = <T>(call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: concurrentRequests }, (_, index) => call(index)))

describe('more concurrent requests than connections, with data keys that are not loaded', () => {
  it('are all accepted if each queues a mail', async () => {
    const answers = await each((index) => post('/v1/auth/forgot-password', { email: `user${index}@example.com` }))
    expect(new Set(statuses(answers))).toEqual(new Set([200]))
    expect(await platform.query('select count(*)::int as count from kernel.mail')).toEqual([
      { count: concurrentRequests },
    ])
  })

  it('are all executed if each hashes a password in the transaction of its Idempotency-Key, with concurrent sign-ins', async () => {
    const sessions = await each(async (index) => {
      const email = `ann${index}@example.com`
      const answer = await post('/v1/auth/register', { email, password })
      return { email, token: ((await answer.json()) as { accessToken: string }).accessToken }
    })
    const answers = await each(async (index) => {
      const { token } = sessions[index]!
      const headers = { authorization: `Bearer ${token}`, 'idempotency-key': `change-${index}` }
      const input = { currentPassword: password, newPassword: `${password}!` }
      const [changed] = await Promise.all([
        post('/v1/graphql', { query: changePassword, variables: { input } }, headers),
        post('/v1/auth/login', { email: `nobody${index}@example.com`, password }),
      ])
      return changed.json()
    })
    expect(answers).toEqual(answers.map(() => ({ data: { authChangePassword: { tokenType: 'Bearer' } } })))
  })
})
