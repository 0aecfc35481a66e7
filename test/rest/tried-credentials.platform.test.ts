import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { restClient, type Answer, type RestClient } from '../rest-client.ts'
import { sessionOf } from '../requests/session.ts'

const platform = usePlatform()
let owner: Member
let session: RestClient
beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  // The data key of an organization is created when it is first needed, in whatever request.
  await platform.services.vault.load(owner.organizationId)
  const headers = { Authorization: `Bearer ${await sessionOf(platform, owner)}` }
  session = restClient(platform.contract, platform.url, headers)
})

const headers = { Prefer: 'dry-run' }
const statusWith = async (secret: string): Promise<number> =>
  (await fetch(`${platform.url}/v1/accounts`, { headers: { 'X-API-Key': secret } })).status

/** Runs a request that must change no row of the organization. */
async function unchanged(request: () => Promise<Answer>): Promise<Answer> {
  await platform.settled()
  const before = await platform.fingerprint(owner.organizationId)
  const answer = await request()
  await platform.settled()
  expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, 'dry-run'])
  return answer
}

describe('a credential that a dry run answers', () => {
  it('opens nothing, as a new API key and as the new secret of one, whose own secret still works', async () => {
    const body = { name: 'Loader', scopes: ['READ_ACCOUNTS'] }
    const created = await unchanged(() => session['apiKeyCreate']!({ body, headers }))
    const key = (await session['apiKeyCreate']!({ body })).body as { id: string; secret: string }
    const rotated = await unchanged(() => session['apiKeyRotate']!({ id: key.id, body: { overlapHours: 0 }, headers }))
    for (const { body: answered } of [created, rotated]) {
      expect(answered.secret).toHaveLength(key.secret.length)
      expect(await statusWith(answered.secret as string)).toBe(401)
    }
    expect(await statusWith(key.secret)).toBe(200)
    expect((await session['apiKey']!({ id: created.body.id as string })).status).toBe(404)
  })

  it('opens nothing as the token of a directory, whose own token still works', async () => {
    const token = (await session['scimTokenRotate']!({})).body.token as string
    const tried = await unchanged(() => session['scimTokenRotate']!({ headers }))
    const usersWith = async (bearer: string): Promise<number> =>
      (await fetch(`${platform.url}/v1/scim/v2/Users`, { headers: { Authorization: `Bearer ${bearer}` } })).status
    expect([await usersWith(tried.body.token as string), await usersWith(token)]).toEqual([401, 200])
  })
})
