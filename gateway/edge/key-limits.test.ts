import { describe, expect, it } from 'vitest'
import { anEdge, inventedKey } from './edge.fixture.ts'

const minute = 60_000

describe('failed key authentications', () => {
  it('are answered 401 twenty times, then 429 to every key from that address for the rest of the 15 minutes', async () => {
    const { sendWithKey, send, issue, setNow, used } = anEdge()
    const { secret } = issue()
    for (let failure = 1; failure <= 20; failure++) {
      setNow((failure - 1) * 1000)
      expect([failure, (await sendWithKey(failure % 2 ? 'garbage' : inventedKey())).code]).toEqual([
        failure,
        'API_KEY_INVALID',
      ])
    }
    setNow(5 * minute)
    const good = await sendWithKey(secret)
    expect([good.refusal?.code, good.refusal?.status]).toEqual(['API_KEY_AUTH_THROTTLED', 429])
    expect(good.refusal?.extensions.retryAfter).toBe(600)
    expect((await sendWithKey('garbage')).code).toBe('API_KEY_AUTH_THROTTLED')
    expect(used).toEqual([])

    expect((await sendWithKey(secret, { peer: '203.0.113.8' })).code).toBe('OK')
    expect((await send()).code).toBe('OK')

    setNow(15 * minute - 1)
    expect((await sendWithKey(secret)).refusal?.extensions.retryAfter).toBe(1)
    setNow(15 * minute)
    expect((await sendWithKey(secret)).code).toBe('OK')
    expect((await sendWithKey('garbage')).code).toBe('API_KEY_INVALID')
  })

  it('block no key at nineteen failures, and successes do not reset the count', async () => {
    const { sendWithKey, issue } = anEdge()
    const { secret } = issue()
    for (let failure = 1; failure <= 19; failure++) await sendWithKey('garbage')
    expect((await sendWithKey(secret)).code).toBe('OK')
    expect((await sendWithKey('garbage')).code).toBe('API_KEY_INVALID')
    expect((await sendWithKey(secret)).code).toBe('API_KEY_AUTH_THROTTLED')
  })

  it('that arrive together get exactly twenty answers of 401', async () => {
    const { sendWithKey } = anEdge()
    const answers = await Promise.all(Array.from({ length: 50 }, () => sendWithKey(inventedKey())))
    expect(answers.filter(({ code }) => code === 'API_KEY_INVALID')).toHaveLength(20)
    expect(answers.filter(({ code }) => code === 'API_KEY_AUTH_THROTTLED')).toHaveLength(30)
  })

  it('are only those answered 401; a wrong address or a blocked path does not count', async () => {
    const { sendWithKey, issue } = anEdge()
    const { secret } = issue({ ipAllowList: ['192.0.2.1'] })
    for (let request = 1; request <= 30; request++) await sendWithKey(secret)
    expect((await sendWithKey(issue().secret)).code).toBe('OK')
  })

  it('from one IPv6 network count together', async () => {
    const { sendWithKey, issue } = anEdge()
    for (let failure = 1; failure <= 20; failure++) await sendWithKey('garbage', { peer: `2001:db8::${failure}` })
    const { secret } = issue()
    expect((await sendWithKey(secret, { peer: '2001:db8::ffff' })).code).toBe('API_KEY_AUTH_THROTTLED')
    expect((await sendWithKey(secret, { peer: '2001:db8:0:1::1' })).code).toBe('OK')
  })
})

describe('the quota of a key', () => {
  const shown = (headers: Record<string, unknown>) => [
    headers['ratelimit-limit'],
    headers['ratelimit-remaining'],
    headers['ratelimit-reset'],
    headers['ratelimit-policy'],
  ]

  it.each([
    ['MINUTE', 60],
    ['HOUR', 3600],
    ['DAY', 86_400],
  ] as const)('per %s allows exactly its number, then 429 until the window ends', async (window, seconds) => {
    const { sendWithKey, issue, setNow, refused } = anEdge()
    const { secret } = issue({ rateLimit: { limit: 3, window } })
    for (const left of ['2', '1', '0']) {
      const { code, headers } = await sendWithKey(secret)
      expect([code, ...shown(headers)]).toEqual(['OK', '3', left, String(seconds), `3;w=${seconds}`])
    }
    setNow(10_500)
    const over = await sendWithKey(secret)
    expect([over.refusal?.code, over.refusal?.status]).toEqual(['API_KEY_RATE_LIMITED', 429])
    expect(over.refusal?.extensions.retryAfter).toBe(seconds - 10)
    expect(shown(over.headers)).toEqual(['3', '0', String(seconds - 10), `3;w=${seconds}`])
    expect(refused).toEqual(['key-1'])
    setNow(seconds * 1000)
    expect(shown((await sendWithKey(secret)).headers)).toEqual(['3', '2', String(seconds), `3;w=${seconds}`])
  })

  it('is shown but not charged when the request is refused before the quota check', async () => {
    const { sendWithKey, send, issue } = anEdge()
    const { secret } = issue({ rateLimit: { limit: 5, window: 'MINUTE' } })
    const blocked = await sendWithKey(secret, { url: '/v1/api-keys' })
    expect([blocked.code, ...shown(blocked.headers)]).toEqual(['API_KEY_SCOPE_BLOCKED', '5', '5', '60', '5;w=60'])
    const uncharged = await send({ headers: { 'x-api-key': secret } }, false)
    expect([uncharged.code, ...shown(uncharged.headers)]).toEqual(['OK', '5', '5', '60', '5;w=60'])
    const expired = await sendWithKey(issue({ id: 'key-2', revokedAt: new Date(0) }).secret)
    expect([expired.code, ...shown(expired.headers)]).toEqual([
      'API_KEY_INVALID',
      '1000',
      '1000',
      '3600',
      '1000;w=3600',
    ])
  })

  it('is shared by both secrets of a rotating key and by no other key', async () => {
    const { sendWithKey, issue } = anEdge()
    const rateLimit = { limit: 2, window: 'MINUTE' } as const
    const [current, previous] = [
      issue({ rateLimit }),
      issue({ rateLimit, previousSecretExpiresAt: new Date('2027-01-01') }),
    ]
    const other = issue({ id: 'key-2', rateLimit })
    const codes = []
    for (const { secret } of [current, previous, current, other]) codes.push((await sendWithKey(secret)).code)
    expect(codes).toEqual(['OK', 'OK', 'API_KEY_RATE_LIMITED', 'OK'])
  })

  it('holds exactly for requests that arrive together', async () => {
    const { sendWithKey, issue, refused } = anEdge()
    const { secret } = issue({ rateLimit: { limit: 10, window: 'MINUTE' } })
    const answers = await Promise.all(Array.from({ length: 40 }, () => sendWithKey(secret)))
    expect(answers.filter(({ code }) => code === 'OK')).toHaveLength(10)
    expect(refused).toHaveLength(30)
  })
})

describe('limits per address', () => {
  const ipLimits = [
    { max: 2, windowMs: 1000 },
    { max: 3, windowMs: minute },
  ]

  it('refuse with 429 before any credential is checked', async () => {
    const { send, sendWithKey, issue, setNow, reads } = anEdge({ ipLimits })
    const { secret } = issue()
    expect([(await send()).code, (await send()).code]).toEqual(['OK', 'OK'])
    const third = await sendWithKey(secret)
    expect([third.refusal?.code, third.refusal?.status, third.refusal?.extensions.retryAfter]).toEqual([
      'IP_RATE_LIMITED',
      429,
      1,
    ])
    expect(reads).toEqual([])
    setNow(1000)
    expect((await send()).code).toBe('OK')
    expect((await send()).refusal?.extensions.retryAfter).toBe(59)
    expect((await send({ peer: '203.0.113.8' })).code).toBe('OK')
    setNow(minute)
    expect((await send()).code).toBe('OK')
  })

  it('are not moved by a forged X-Forwarded-For', async () => {
    const { send } = anEdge({ ipLimits })
    const codes = []
    for (const claim of ['1.1.1.1', '2.2.2.2', '3.3.3.3'])
      codes.push((await send({ headers: { 'x-forwarded-for': claim } })).code)
    expect(codes).toEqual(['OK', 'OK', 'IP_RATE_LIMITED'])
  })

  it('count an operation that is worth several requests as that many, for the address and for the key', async () => {
    const { edge, issue, send, sendWithKey } = anEdge({ ipLimits: [{ max: 10, windowMs: minute }] })
    const { secret } = issue({ rateLimit: { limit: 6, window: 'HOUR' } })
    const { admission } = await sendWithKey(secret, {}, false)
    await edge.spend(admission!, null, 5)
    expect(admission!.quotaHeaders).toMatchObject({ 'RateLimit-Remaining': '1' })
    expect(() => edge.spend(admission!, null, 2)).toThrow(
      'Limit of 6 requests per hour reached for this API key; retry in 3600 s.',
    )
    for (let left = 4; left > 0; left--) expect((await send()).code).toBe('OK')
    expect((await send()).code).toBe('IP_RATE_LIMITED')
  })

  it('refuse an operation that is worth more requests than are left, before the key is charged', async () => {
    const { edge, issue, sendWithKey } = anEdge({ ipLimits: [{ max: 3, windowMs: minute }] })
    const { admission } = await sendWithKey(issue().secret, {}, false)
    expect(() => edge.spend(admission!, null, 4)).toThrow(
      'Limit of 3 requests per minute reached for this address; retry in 60 s.',
    )
    expect(admission!.quotaHeaders).toMatchObject({
      'RateLimit-Remaining': admission!.quotaHeaders!['RateLimit-Limit'],
    })
  })

  it('can be stricter on one route', async () => {
    const { edge } = anEdge()
    const request = { headers: {}, socket: { remoteAddress: '203.0.113.7' } }
    const limits = [{ max: 1, windowMs: minute }]
    await edge.enforceRouteLimits(request, 'sign-in', limits)
    expect(() => edge.enforceRouteLimits(request, 'sign-in', limits)).toThrow(
      'Limit of 1 request per minute reached for this address',
    )
    await edge.enforceRouteLimits(request, 'register', limits)
  })
})
