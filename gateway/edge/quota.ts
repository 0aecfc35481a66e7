import type { ServerResponse } from 'node:http'
import type { Limit } from '../../subgraphs/kernel/config/config.ts'
import { secondsOf, type CounterCheck, type LimitDecision } from '../../subgraphs/kernel/counters/counters.ts'
import type { ApiKeyRecord, OAuthTokenRecord, QuotaWindow } from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'

const windowMsOf: Readonly<Record<QuotaWindow, number>> = { MINUTE: 60_000, HOUR: 3_600_000, DAY: 86_400_000 }

/** The key or app that requests are charged to, with its quota prepared once. */
export interface Metered {
  readonly space: 'quota' | 'app-quota'
  readonly countedAs: string
  readonly rateLimit: ApiKeyRecord['rateLimit']
  readonly limits: readonly [Limit]
  readonly policy: string
}

/** An API key as the edge caches it. */
export interface KeyCredential extends Metered {
  readonly record: ApiKeyRecord
}

/** An access token as the edge caches it. All tokens of an app in an organization share one quota. */
export interface AppCredential extends Metered {
  readonly record: OAuthTokenRecord
}

export interface QuotaHeaders {
  readonly 'RateLimit-Limit': string
  readonly 'RateLimit-Remaining': string
  readonly 'RateLimit-Reset': string
  readonly 'RateLimit-Policy': string
}

function metered(
  space: Metered['space'],
  countedAs: string,
  { rateLimit }: ApiKeyRecord | OAuthTokenRecord,
): Omit<Metered, 'record'> {
  const { limit, window } = rateLimit
  const windowMs = windowMsOf[window]
  return { space, countedAs, rateLimit, limits: [{ max: limit, windowMs }], policy: `${limit};w=${windowMs / 1000}` }
}

export const keyCredential = (record: ApiKeyRecord): KeyCredential => ({
  record,
  ...metered('quota', record.id, record),
})

export const appCredential = (record: OAuthTokenRecord): AppCredential => ({
  record,
  ...metered('app-quota', `${record.appId} ${record.organizationId}`, record),
})

export const quotaHeaders = ({ rateLimit, policy }: Metered, { remaining, resetMs }: LimitDecision): QuotaHeaders => ({
  'RateLimit-Limit': String(rateLimit.limit),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(secondsOf(resetMs)),
  'RateLimit-Policy': policy,
})

export function setQuotaHeaders(res: ServerResponse, headers: QuotaHeaders): void {
  if (res.headersSent) return
  res.setHeader('RateLimit-Limit', headers['RateLimit-Limit'])
  res.setHeader('RateLimit-Remaining', headers['RateLimit-Remaining'])
  res.setHeader('RateLimit-Reset', headers['RateLimit-Reset'])
  res.setHeader('RateLimit-Policy', headers['RateLimit-Policy'])
}

/** Charges the quota for `hits` requests; 0 only reads it, for the headers. */
export const quotaCheck = ({ space, countedAs, limits }: Metered, hits: number): CounterCheck => ({
  space,
  key: countedAs,
  limits,
  hits,
})

export function quotaRefusal({ space, rateLimit: { limit, window } }: Metered, { resetMs }: LimitDecision): Refusal {
  const isKey = space === 'quota'
  const who = isKey ? 'this API key' : 'this app in this organization'
  const retryAfter = secondsOf(resetMs)
  const detail = `Limit of ${limitsText([{ max: limit, windowMs: windowMsOf[window] }])} reached for ${who}; retry in ${retryAfter} s.`
  return new Refusal(isKey ? 'API_KEY_RATE_LIMITED' : 'OAUTH_RATE_LIMITED', detail, { retryAfter })
}

const windowNames: Readonly<Record<number, string>> = {
  1000: 'second',
  60_000: 'minute',
  3_600_000: 'hour',
  86_400_000: 'day',
}

/** Limits in words, such as "20 requests per second or 300 per minute". */
export const limitsText = (limits: readonly Limit[]): string =>
  limits
    .map(({ max, windowMs }, index) => {
      const counted = index > 0 ? String(max) : max === 1 ? '1 request' : `${max} requests`
      return `${counted} per ${windowNames[windowMs] ?? `${windowMs / 1000} s`}`
    })
    .join(' or ')
