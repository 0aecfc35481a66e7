import { describe, expect, it } from 'vitest'
import type { Limit } from '../../subgraphs/kernel/config/config.ts'
import type { ApiKeyRecord } from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { anEdge, exchange, inventedKey, start, type RequestOptions } from './edge.fixture.ts'

const minute = 60_000
const forbid = () => {
  throw new Refusal('API_KEY_SCOPE_INSUFFICIENT', 'The API key lacks the scope READ_ACCOUNTS.')
}
const allow = () => {}

interface Case {
  readonly name: string
  readonly key?: Partial<ApiKeyRecord>
  readonly ipLimits?: readonly Limit[]
  readonly authorize?: () => void
  readonly options?: RequestOptions
  readonly secret?: string
  /** Codes of six requests. */
  readonly codes: readonly string[]
  /** RateLimit-Remaining of six requests. */
  readonly remaining: readonly (string | undefined)[]
  readonly used: number
  readonly refused?: number
}

const six = <T>(value: T): T[] => Array.from({ length: 6 }, () => value)
const [quota, limit] = ['API_KEY_RATE_LIMITED', 'IP_RATE_LIMITED']

const cases: Case[] = [
  {
    name: 'within its quota',
    key: { rateLimit: { limit: 9, window: 'HOUR' } },
    codes: six('OK'),
    remaining: ['8', '7', '6', '5', '4', '3'],
    used: 6,
  },
  {
    name: 'over its quota',
    key: { rateLimit: { limit: 2, window: 'HOUR' } },
    codes: ['OK', 'OK', quota, quota, quota, quota],
    remaining: ['1', '0', '0', '0', '0', '0'],
    used: 6,
    refused: 4,
  },
  {
    name: 'refused by the limit of its address, which charges nothing',
    key: { rateLimit: { limit: 9, window: 'HOUR' } },
    ipLimits: [{ max: 3, windowMs: minute }],
    codes: ['OK', 'OK', 'OK', limit, limit, limit],
    remaining: ['8', '7', '6', undefined, undefined, undefined],
    used: 3,
  },
  {
    name: 'without the scope, which charges nothing',
    key: { rateLimit: { limit: 2, window: 'HOUR' } },
    authorize: forbid,
    codes: six('API_KEY_SCOPE_INSUFFICIENT'),
    remaining: six('2'),
    used: 6,
  },
  {
    name: 'without the scope and without quota, refused for the scope',
    key: { rateLimit: { limit: 0, window: 'HOUR' } },
    authorize: forbid,
    codes: six('API_KEY_SCOPE_INSUFFICIENT'),
    remaining: six('0'),
    used: 6,
  },
  {
    name: 'on a blocked path, which charges nothing',
    key: { rateLimit: { limit: 2, window: 'HOUR' } },
    options: { url: '/v1/api-keys' },
    codes: six('API_KEY_SCOPE_BLOCKED'),
    remaining: six('2'),
    used: 0,
  },
  {
    name: 'that is revoked, which shows the quota and charges nothing',
    key: { revokedAt: start, rateLimit: { limit: 2, window: 'HOUR' } },
    codes: six('API_KEY_INVALID'),
    remaining: six('2'),
    used: 0,
  },
  { name: 'that is malformed', secret: 'garbage', codes: six('API_KEY_INVALID'), remaining: six(undefined), used: 0 },
  {
    name: 'that does not exist',
    secret: inventedKey(),
    codes: six('API_KEY_INVALID'),
    remaining: six(undefined),
    used: 0,
  },
]

describe.each(['charged at admission', 'charged after admission'])('a key %s', (kind) => {
  it.each(cases)(
    '$name',
    async ({ key, ipLimits, authorize = allow, options, secret, codes, remaining, ...notified }) => {
      const edge = anEdge({ ...(ipLimits && { ipLimits }) })
      const sent = secret ?? edge.issue(key).secret
      const answers: [code: string, remaining: unknown][] = []
      for (let request = 0; request < 6; request++) {
        const { req, res } = exchange({ ...options, headers: { 'x-api-key': sent } })
        const send = async (): Promise<string> => {
          if (kind === 'charged at admission') {
            await edge.edge.spend(await edge.edge.admit(req, res, authorize), res)
          } else {
            const admission = await edge.edge.admit(req, res)
            authorize()
            await edge.edge.spend(admission, res)
          }
          return 'OK'
        }
        const code = await send().catch((error: Refusal) => error.code)
        answers.push([code, res.getHeader('ratelimit-remaining')])
      }
      expect(answers).toEqual(codes.map((code, request) => [code, remaining[request]]))
      expect([edge.used.length, edge.refused.length]).toEqual([notified.used, notified.refused ?? 0])
    },
  )
})

describe('a key charged at admission', () => {
  it('is refused by the throttle after twenty failures, before the failure is answered and without a charge', async () => {
    const { edge, issue, sendWithKey } = anEdge()
    for (let failure = 1; failure <= 20; failure++) expect((await sendWithKey('garbage')).code).toBe('API_KEY_INVALID')
    const { secret } = issue({ rateLimit: { limit: 2, window: 'HOUR' } })
    const from = (peer: string) => exchange({ peer, headers: { 'x-api-key': secret } })
    const { req, res } = from('203.0.113.7')
    const throttled =
      'Limit of 20 failed API key authentications in 15 minutes reached for this address; retry in 900 s.'
    expect(() => edge.admit(req, res, allow)).toThrow(throttled)
    const other = from('203.0.113.8')
    await edge.admit(other.req, other.res, allow)
    // The record is cached: the throttle and the charge are one step.
    expect(() => edge.admit(req, res, allow)).toThrow(throttled)
    await edge.admit(other.req, other.res, allow)
    expect(other.res.getHeader('ratelimit-remaining')).toBe('0')
  })

  it('is not authorized when the credential is refused', async () => {
    const { edge, issue } = anEdge()
    const authorized: string[] = []
    const { req, res } = exchange({ headers: { 'x-api-key': issue({ revokedAt: start }).secret } })
    const admit = async () => edge.admit(req, res, ({ kind }) => void authorized.push(kind))
    await expect(admit()).rejects.toMatchObject({ code: 'API_KEY_INVALID' })
    await expect(admit()).rejects.toMatchObject({ code: 'API_KEY_INVALID' })
    expect(authorized).toEqual([])
  })

  it('is charged once, whatever is spent afterwards', async () => {
    const { edge, issue } = anEdge()
    const { req, res } = exchange({
      headers: { 'x-api-key': issue({ rateLimit: { limit: 5, window: 'HOUR' } }).secret },
    })
    const admission = await edge.admit(req, res, allow)
    await edge.spend(admission, res)
    await edge.spend(admission, res)
    expect(res.getHeader('ratelimit-remaining')).toBe('4')
  })
})
