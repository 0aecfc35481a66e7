import type { ServerResponse } from 'node:http'
import type { Limit } from '../../subgraphs/kernel/config.ts'
import type { Counters, Verdict } from '../../subgraphs/kernel/counters/counters.ts'
import type { ApiKeyRecord, QuotaWindow } from '../../subgraphs/kernel/credential.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { chain } from './chain.ts'
import { secondsOf } from './throttle.ts'

const windowMsOf: Readonly<Record<QuotaWindow, number>> = { MINUTE: 60_000, HOUR: 3_600_000, DAY: 86_400_000 }
const space = 'quota'

/** A key as the edge keeps it: its record, and what its quota looks like, worked out once. */
export interface KeyCredential {
  readonly record: ApiKeyRecord
  readonly limits: readonly [Limit]
  readonly policy: string
}

export interface QuotaHeaders {
  readonly 'RateLimit-Limit': string
  readonly 'RateLimit-Remaining': string
  readonly 'RateLimit-Reset': string
  readonly 'RateLimit-Policy': string
}

export function keyCredential(record: ApiKeyRecord): KeyCredential {
  const { limit, window } = record.rateLimit
  const windowMs = windowMsOf[window]
  return { record, limits: [{ max: limit, windowMs }], policy: `${limit};w=${windowMs / 1000}` }
}

const headersOf = ({ record, policy }: KeyCredential, { remaining, resetMs }: Verdict): QuotaHeaders => ({
  'RateLimit-Limit': String(record.rateLimit.limit),
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
  look(key: KeyCredential, nowMs: number): QuotaHeaders | Promise<QuotaHeaders> {
    const verdict = this.#counters.count(space, key.record.id, key.limits, nowMs)
    return chain(verdict, (found) => headersOf(key, found))
  }

  spend(key: KeyCredential, nowMs: number): Spending | Promise<Spending> {
    const verdict = this.#counters.hit(space, key.record.id, key.limits, nowMs)
    return chain(verdict, (found) => ({
      headers: headersOf(key, found),
      refusal: found.allowed ? null : spent(key, found),
    }))
  }
}

function spent({ record }: KeyCredential, { resetMs }: Verdict): Refusal {
  const { limit, window } = record.rateLimit
  const detail = `This API key may make ${limit} requests per ${window.toLowerCase()} and has made them.`
  return new Refusal('API_KEY_RATE_LIMITED', detail, { retryAfter: secondsOf(resetMs) })
}
