import type { ServerResponse } from 'node:http'
import type { Limit } from '../../subgraphs/kernel/config.ts'
import { secondsOf, type Counters, type Verdict } from '../../subgraphs/kernel/counters/counters.ts'
import type { ApiKeyRecord, OAuthTokenRecord, QuotaWindow } from '../../subgraphs/kernel/credential.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { chain } from './chain.ts'

const windowMsOf: Readonly<Record<QuotaWindow, number>> = { MINUTE: 60_000, HOUR: 3_600_000, DAY: 86_400_000 }

/** What requests are charged to, and what that quota looks like, worked out once. */
export interface Metered {
  readonly space: 'quota' | 'app-quota'
  readonly countedAs: string
  readonly rateLimit: ApiKeyRecord['rateLimit']
  readonly limits: readonly [Limit]
  readonly policy: string
}

/** A key as the edge keeps it. */
export interface KeyCredential extends Metered {
  readonly record: ApiKeyRecord
}

/** An access token as the edge keeps it: all tokens of an app in an organization share one quota. */
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

const headersOf = ({ rateLimit, policy }: Metered, { remaining, resetMs }: Verdict): QuotaHeaders => ({
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

export interface Spending {
  readonly headers: QuotaHeaders
  readonly refusal: Refusal | null
}

export class Quotas {
  readonly #counters: Counters

  constructor(counters: Counters) {
    this.#counters = counters
  }

  /** The headers as they stand, nothing counted. */
  look(charged: Metered, nowMs: number): QuotaHeaders | Promise<QuotaHeaders> {
    const verdict = this.#counters.count(charged.space, charged.countedAs, charged.limits, nowMs)
    return chain(verdict, (found) => headersOf(charged, found))
  }

  spend(charged: Metered, nowMs: number, requests: number): Spending | Promise<Spending> {
    const verdict = this.#counters.hit(charged.space, charged.countedAs, charged.limits, nowMs, requests)
    return chain(verdict, (found) => ({
      headers: headersOf(charged, found),
      refusal: found.allowed ? null : spent(charged, found),
    }))
  }
}

function spent({ space, rateLimit: { limit, window } }: Metered, { resetMs }: Verdict): Refusal {
  const isKey = space === 'quota'
  const who = isKey ? 'This API key' : 'This app in this organization'
  const detail = `${who} may make ${limit} requests per ${window.toLowerCase()} and has made them.`
  return new Refusal(isKey ? 'API_KEY_RATE_LIMITED' : 'OAUTH_RATE_LIMITED', detail, { retryAfter: secondsOf(resetMs) })
}
