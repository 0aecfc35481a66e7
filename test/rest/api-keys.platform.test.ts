import { beforeAll, describe, expect, it } from 'vitest'
import { sessionOf } from '../requests/session.ts'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { usePlatform, type Member } from '../platform.ts'
import { restClient, type Answer, type RestClient } from '../rest-client.ts'

const platform = usePlatform()
const hour = 3_600_000
let member: Member
let session: RestClient
beforeAll(async () => {
  member = await platform.member()
  session = await signedIn(member)
})

/** Access tokens are valid for 15 minutes, so a test in which hours pass signs in again. */
const signedIn = async (user: Member): Promise<RestClient> =>
  restClient(platform.contract, platform.url, { authorization: `Bearer ${await sessionOf(platform, user)}` })

const withKey = (secret: string, headers: Readonly<Record<string, string>> = {}): RestClient =>
  restClient(platform.contract, platform.url, { 'x-api-key': secret, ...headers })

const aKey = async (input: object = {}): Promise<{ id: string; secret: string }> =>
  (await session.apiKeyCreate!({ body: { name: 'Sync', scopes: ['READ_ACCOUNTS'], ...input } })).body

const outcome = ({ status, body }: Answer) => `${status} ${(body as { code?: string }).code ?? 'OK'}`
const listing = async (secret: string) => (await withKey(secret).accountList!()) as Answer

describe('apiKeyRotate', () => {
  it('answers 200 with a new secret; both work for 24 hours, then the previous one answers 401 with the reason', async () => {
    const { id, secret } = await aKey()
    const rotated = await session.apiKeyRotate!({ id })
    expect(rotated.status).toBe(200)
    expect(rotated.headers.get('etag')).toBe('"2"')
    expect(rotated.body).toMatchObject({ id, status: 'ROTATING', scopes: ['READ_ACCOUNTS'], version: 2 })
    const [next, end] = [rotated.body.secret as string, Date.parse(rotated.body.previousSecretExpiresAt as string)]
    expect(end - platform.now.getTime()).toBe(24 * hour)
    expect([outcome(await listing(secret)), outcome(await listing(next))]).toEqual(['200 OK', '200 OK'])

    platform.advanceClock(24 * hour - 1)
    expect([outcome(await listing(secret)), outcome(await listing(next))]).toEqual(['200 OK', '200 OK'])
    platform.advanceClock(1)
    const ended = await listing(secret)
    expect(outcome(ended)).toBe('401 API_KEY_EXPIRED')
    expect(ended.body.detail).toBe('This API key was rotated and its overlap has ended; use the new secret.')
    expect(outcome(await listing(next))).toBe('200 OK')
    session = await signedIn(member)
    const { body } = await session.apiKey!({ id })
    expect([body.status, body.secret]).toEqual(['ACTIVE', undefined])
  })

  it('answers 200 to 50 concurrent rotations, after which the last two secrets work', async () => {
    const { id, secret } = await aKey()
    const answers = await Promise.all(Array.from({ length: 50 }, () => session.apiKeyRotate!({ id })))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200))
    platform.advanceClock(1000)
    const byVersion = answers.map(({ body }) => body).sort((a, b) => a.version - b.version)
    const works = async (index: number) => outcome(await listing(byVersion[index]!.secret as string))
    expect(outcome(await listing(secret))).toBe('401 API_KEY_EXPIRED')
    expect([await works(0), await works(47), await works(48), await works(49)]).toEqual([
      '401 API_KEY_EXPIRED',
      '401 API_KEY_EXPIRED',
      '200 OK',
      '200 OK',
    ])
  })

  it('accepts an overlap of 0 to 168 hours', async () => {
    const { id, secret } = await aKey()
    for (const overlapHours of [-1, 169, 1.5, null, '24']) {
      const refused = await session.apiKeyRotate!({ id, body: { overlapHours } })
      expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'overlapHours'])
    }
    const longest = await session.apiKeyRotate!({ id, body: { overlapHours: 168 } })
    expect(Date.parse(longest.body.previousSecretExpiresAt as string) - platform.now.getTime()).toBe(168 * hour)
    const shortest = await session.apiKeyRotate!({ id, body: { overlapHours: 0 } })
    expect(shortest.body).toMatchObject({ status: 'ACTIVE', previousSecretExpiresAt: platform.now.toISOString() })
    platform.advanceClock(1000)
    expect(outcome(await listing(secret))).toBe('401 API_KEY_EXPIRED')
    expect(outcome(await listing(longest.body.secret as string))).toBe('401 API_KEY_EXPIRED')
    expect(outcome(await listing(shortest.body.secret as string))).toBe('200 OK')
  })

  it('replays the secret for an Idempotency-Key and rotates once', async () => {
    const { id } = await aKey()
    const ask = () => session.apiKeyRotate!({ id, headers: { 'idempotency-key': 'rotate-1' } })
    const [first, again] = [await ask(), await ask()]
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(first.body)
    expect((await session.apiKey!({ id })).body.version).toBe(2)
  })

  it('answers 409 for a revoked key, of which both secrets stopped working', async () => {
    const { id, secret } = await aKey()
    const { body } = await session.apiKeyRotate!({ id })
    await session.apiKeyRevoke!({ id })
    platform.advanceClock(1000)
    expect([outcome(await listing(secret)), outcome(await listing(body.secret as string))]).toEqual([
      '401 API_KEY_INVALID',
      '401 API_KEY_INVALID',
    ])
    expect(outcome(await session.apiKeyRotate!({ id }))).toBe('409 INVALID_STATE')
  })

  it('keeps a previous secret working, which a revocation with formerOnly ends early', async () => {
    const { id, secret } = await aKey()
    const { body } = await session.apiKeyRotate!({ id })
    expect((await session.apiKeyRevoke!({ id, body: { formerOnly: true } })).body).toMatchObject({ status: 'ACTIVE' })
    platform.advanceClock(1000)
    const ended = await listing(secret)
    expect([outcome(ended), ended.body.detail]).toEqual([
      '401 API_KEY_EXPIRED',
      'This API key was rotated and its overlap has ended; use the new secret.',
    ])
    expect(outcome(await listing(body.secret as string))).toBe('200 OK')
    expect(outcome(await session.apiKeyRevoke!({ id, body: { formerOnly: 'yes' } }))).toBe('400 VALIDATION_FAILED')
    expect(outcome(await session.apiKeyRevoke!({ id, body: {} }))).toBe('200 OK')
    platform.advanceClock(1000)
    expect(outcome(await listing(body.secret as string))).toBe('401 API_KEY_INVALID')
  })

  it('answers 403 to API keys', async () => {
    const { id } = await aKey()
    expect(outcome(await member.rest.apiKeyRotate!({ id }))).toBe('403 API_KEY_SCOPE_BLOCKED')
  })
})

describe('a key', () => {
  it('expires at the exact millisecond, and works again when expiresAt is moved', async () => {
    const expiresAt = new Date(platform.now.getTime() + 10_000).toISOString()
    const { id, secret } = await aKey({ expiresAt })
    expect((await session.apiKey!({ id })).body).toMatchObject({ status: 'ACTIVE', expiresSoon: true })
    platform.advanceClock(9_999)
    expect(outcome(await listing(secret))).toBe('200 OK')
    platform.advanceClock(1)
    const ended = await listing(secret)
    expect([outcome(ended), ended.body.detail]).toEqual(['401 API_KEY_EXPIRED', 'This API key has expired.'])
    expect((await session.apiKey!({ id })).body).toMatchObject({ status: 'EXPIRED', expiresSoon: false })
    await session.apiKeyUpdate!({ id, body: { expiresAt: null } })
    platform.advanceClock(1000)
    expect(outcome(await listing(secret))).toBe('200 OK')
  })

  it('is checked against the connecting address: X-Forwarded-For has no effect', async () => {
    const { secret: elsewhere } = await aKey({ ipAllowList: ['203.0.113.0/24', '2001:db8::/32'] })
    const forged = ['203.0.113.9', '2001:db8::1', '203.0.113.9, 127.0.0.1', '127.0.0.1, 203.0.113.9']
    for (const address of forged) {
      const client = withKey(elsewhere, {
        'x-forwarded-for': address,
        forwarded: `for=${address}`,
        'x-real-ip': address,
      })
      expect(outcome(await client.accountList!())).toBe('403 API_KEY_IP_NOT_ALLOWED')
    }
    for (const entry of ['127.0.0.1', '127.0.0.0/8', '::ffff:127.0.0.1']) {
      const { secret: here } = await aKey({ ipAllowList: ['2001:db8::/32', entry] })
      expect(outcome(await withKey(here, { 'x-forwarded-for': '203.0.113.9' }).accountList!())).toBe('200 OK')
    }
  })
})

describe('apiKeyRegenerate', () => {
  it('replaces the secret immediately and announces the sunset', async () => {
    const { id, secret } = await aKey()
    const answer = await session.apiKeyRegenerate!({ id })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id, status: 'ACTIVE', version: 2 })
    expect(answer.headers.get('deprecation')).toBe(`@${Date.parse('2026-10-01T00:00:00Z') / 1000}`)
    expect(answer.headers.get('sunset')).toBe('Thu, 01 Apr 2027 00:00:00 GMT')
    expect(answer.headers.get('link')).toBe(
      `</docs>; rel="deprecation"; type="text/html", </v1/api-keys/${id}/rotate>; rel="successor-version"`,
    )
    platform.advanceClock(1000)
    expect(outcome(await listing(secret))).toBe('401 API_KEY_EXPIRED')
    expect(outcome(await listing(answer.body.secret as string))).toBe('200 OK')
  })

  it('answers 410 from its sunset on, with the same headers, and changes nothing', async () => {
    const { id } = await aKey({ expiresAt: null })
    platform.now = new Date('2027-03-31T23:59:59.999Z')
    session = await signedIn(member)
    expect((await session.apiKeyRegenerate!({ id })).status).toBe(200)
    platform.advanceClock(1)
    const gone = await session.apiKeyRegenerate!({ id })
    expect(outcome(gone)).toBe('410 ENDPOINT_SUNSET')
    expect(gone.headers.get('sunset')).toBe('Thu, 01 Apr 2027 00:00:00 GMT')
    expect(gone.headers.get('link')).toContain(`</v1/api-keys/${id}/rotate>; rel="successor-version"`)
    expect((await session.apiKey!({ id })).body.version).toBe(2)
  })
})

describe('the audit log', () => {
  it('contains the connecting address and the user agent, and ignores X-Forwarded-For', async () => {
    const { id } = await aKey()
    const headers = { 'user-agent': 'console/7', 'x-forwarded-for': '203.0.113.9' }
    await session.apiKeyRotate!({ id, headers })
    await session.apiKeyDelete!({ id, headers })
    const entries = await platform.query(
      `select action, actor_id, actor_kind, ip, user_agent from identity.audit_entry
       where target_id = $1 and action <> 'api_key.created' order by id`,
      [id],
    )
    const who = { actor_id: member.userId, actor_kind: 'SESSION', ip: '127.0.0.1', user_agent: 'console/7' }
    expect(entries).toEqual([
      { ...who, action: 'api_key.rotated' },
      { ...who, action: 'api_key.deleted' },
    ])
  })
})

describe('legacy scopes', () => {
  const legacyKeyClient = async (...scopes: string[]): Promise<RestClient> => {
    const { organizationId, userId: ownerId } = member
    const wanted = { ownerId, name: 'Before 2020', scopes }
    return withKey((await createApiKey(platform.services, organizationId, wanted)).secret)
  }

  it('cover leads to activities and webhooks; other areas need an explicit scope', async () => {
    const [reader, writer, mixed] = [
      await legacyKeyClient('read'),
      await legacyKeyClient('write'),
      await legacyKeyClient('read', 'READ_CASES'),
    ]
    const body = { name: 'Fjordline' }
    expect(outcome(await reader.accountList!())).toBe('200 OK')
    expect(outcome(await reader.productList!())).toBe('200 OK')
    expect(outcome(await reader.accountCreate!({ body }))).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    expect(outcome(await reader.caseList!())).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    expect(outcome(await writer.accountCreate!({ body }))).toBe('201 OK')
    expect(outcome(await writer.caseList!())).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    expect(outcome(await mixed.caseList!())).toBe('200 OK')
    expect(outcome(await (await legacyKeyClient('WEBHOOKS')).accountList!())).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
  })

  it('cannot be granted to new keys, and remain on existing keys through changes and rotation', async () => {
    const refused = await session.apiKeyCreate!({ body: { name: 'Sync', scopes: ['read'] } })
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'scopes.0'])
    const { organizationId, userId: ownerId } = member
    const { id } = await createApiKey(platform.services, organizationId, { ownerId, name: 'Old', scopes: ['write'] })
    expect((await session.apiKeyUpdate!({ id, body: { name: 'Older' } })).body.scopes).toEqual(['write'])
    const rotated = await session.apiKeyRotate!({ id })
    expect(rotated.body.scopes).toEqual(['write'])
    expect(outcome(await listing(rotated.body.secret as string))).toBe('200 OK')
  })
})
