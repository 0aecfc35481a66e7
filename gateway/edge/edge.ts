import type { KeyObject } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { addressKey } from '../../subgraphs/kernel/network/address.ts'
import type { Clock } from '../../subgraphs/kernel/time/clock.ts'
import type { Config, Limit } from '../../subgraphs/kernel/config/config.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { secondsOf, type Counters } from '../../subgraphs/kernel/counters/counters.ts'
import type { CredentialSource, UsageSink } from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { clientAddress } from './address.ts'
import type { IncomingRequest } from './address.ts'
import { chain } from './chain.ts'
import { Credentials } from './credentials.ts'
import type { Identified } from './credentials.ts'
import { newRequestId, problemIn, requestIdOf, writeProblem, type Problem } from './problem.ts'
import { limitsText, Quotas, setQuotaHeaders } from './quota.ts'
import type { AppCredential, KeyCredential, QuotaHeaders } from './quota.ts'
import { setResponseOwner } from './unsent.ts'
import { statusSent, usageOf } from './usage.ts'
import type { RequestUsage } from './usage.ts'

export interface EdgeOptions {
  readonly config: Pick<Config, 'ipLimits' | 'trustProxy'>
  readonly counters: Counters
  readonly source: CredentialSource
  readonly usage: UsageSink
  /** Public half of the key that signs session tokens. */
  readonly verifying: KeyObject
  /** The key of CSRF tokens, which is also the key that encrypts secrets. */
  readonly csrfKey: Buffer
  readonly clock: Clock
  readonly log: Pick<Logger, 'error'>
}

/** An authenticated request, before the scope check. */
export interface Admission {
  readonly caller: Caller
  /** Reported to the usage sink when the response has been sent; null for anonymous callers. */
  readonly usage: RequestUsage | null
  readonly requestId: string
  readonly key: KeyCredential | null
  /** The app of an access token. */
  readonly app: AppCredential | null
  /** The latest known quota; null without an API key or an app. */
  quotaHeaders: QuotaHeaders | null
}

/**
 * The request edge: rate limits per address, authentication and quota.
 *
 * `admit` throws or rejects with a `Refusal`. The caller then checks the scopes, and `spend` charges the key or the app. Cached
 * records are answered without a promise. If a response is given, both set its RateLimit headers, also on refusals.
 */
export class Edge {
  readonly #options: EdgeOptions
  readonly #credentials: Credentials
  readonly #quotas: Quotas

  constructor(options: EdgeOptions) {
    this.#options = options
    this.#credentials = new Credentials(options.counters, options.source, options.verifying, options.csrfKey)
    this.#quotas = new Quotas(options.counters)
  }

  /** The key under which rate limits count this client. */
  addressOf(request: IncomingRequest): string {
    return addressKey(clientAddress(request, this.#options.config.trustProxy))
  }

  admit(request: IncomingRequest, res: ServerResponse | null): Admission | Promise<Admission> {
    const { config, clock } = this.#options
    const startedMs = performance.now()
    const requestId = res ? requestIdOf(res) : newRequestId()
    const now = clock.now()
    const nowMs = now.getTime()
    const ip = clientAddress(request, config.trustProxy)
    return chain(this.#limit('address', ip, config.ipLimits, nowMs), () =>
      chain(this.#credentials.identify(request, ip, nowMs), (identified) =>
        chain(this.#readQuota(identified, nowMs), (headers) => {
          if (res && headers) setQuotaHeaders(res, headers)
          return this.#withUsage(this.#admitted(identified, headers, requestId, now), startedMs, res)
        }),
      ),
    )
  }

  /**
   * Charges the API key or the app for one authorized operation, or refuses it. Without a key and an app there is nothing to charge.
   * An operation that counts as several requests counts as many for the address as well; `admit` has counted one of them.
   */
  spend(admission: Admission, res: ServerResponse | null, requests = 1): void | Promise<void> {
    if (requests === 1) return this.#charge(admission, res, requests)
    const { config, clock } = this.#options
    const counted = this.#limit('address', admission.caller.ip, config.ipLimits, clock.now().getTime(), requests - 1)
    return chain(counted, () => this.#charge(admission, res, requests))
  }

  #charge(admission: Admission, res: ServerResponse | null, requests: number): void | Promise<void> {
    const { key } = admission
    const charged = key ?? admission.app
    if (!charged) return
    const now = this.#options.clock.now()
    return chain(this.#quotas.spend(charged, now.getTime(), requests), ({ headers, refusal }) => {
      admission.quotaHeaders = headers
      if (res) setQuotaHeaders(res, headers)
      if (!refusal) return
      if (key) this.#options.usage.refused(key.record, now)
      throw refusal
    })
  }

  /**
   * Reports once that the response of an admitted request has been sent. If `admit` was given a response, it does this itself when
   * the response closes. A stream is reported when it begins.
   */
  finished({ usage }: Admission, status: number): void {
    if (!usage || usage.isReported) return
    usage.isReported = true
    const { counted, operation, startedMs } = usage
    this.#options.usage.finished({
      counted,
      operation,
      status,
      durationMs: performance.now() - startedMs,
      isRateLimited: status === 429,
      at: this.#options.clock.now(),
    })
  }

  /** Enforces the stricter limits of a sensitive route, counted per address and `name`, in addition to the general limits. */
  enforceRouteLimits(request: IncomingRequest, name: string, limits: readonly Limit[]): void | Promise<void> {
    const ip = clientAddress(request, this.#options.config.trustProxy)
    return this.#limit(`address-${name}`, ip, limits, this.#options.clock.now().getTime())
  }

  /**
   * The caller of an admitted connection with its current rights. Throws or rejects with a `Refusal` if the credential is no longer
   * valid. Counts nothing.
   */
  currentCaller(request: IncomingRequest): Caller | Promise<Caller> {
    const ip = clientAddress(request, this.#options.config.trustProxy)
    const nowMs = this.#options.clock.now().getTime()
    return chain(this.#credentials.identify(request, ip, nowMs, false), ({ caller, refusal }) => {
      if (refusal) throw refusal
      if (caller && caller.kind !== 'ANONYMOUS') return caller
      throw new Refusal('UNAUTHENTICATED', 'The session has ended; sign in again.')
    })
  }

  /** The problem body of an error, for a stream that has begun. */
  problem(error: unknown, req: IncomingMessage, res: ServerResponse): Problem {
    return problemIn(error, req, res, this.#options.log).problem
  }

  refuse(error: unknown, req: IncomingMessage, res: ServerResponse): void {
    writeProblem(error, req, res, this.#options.log)
  }

  /**
   * Drops cached records of a key (by its hash), a session (by its id) or an organization (by its id). Call it in every
   * process when a key, a session, a user or an organization changes.
   */
  forget(id: string): void {
    this.#credentials.forget(id)
  }

  #withUsage(admitted: Omit<Admission, 'usage'>, startedMs: number, res: ServerResponse | null): Admission {
    const usage = usageOf(admitted.caller, startedMs, admitted.app?.record.appId)
    const admission = { ...admitted, usage }
    if (res) {
      setResponseOwner(res, admitted.caller.organizationId || admitted.caller.ip)
      if (usage) res.once('close', () => this.finished(admission, statusSent(res)))
    }
    return admission
  }

  #limit(space: string, ip: string, limits: readonly Limit[], nowMs: number, hits = 1): void | Promise<void> {
    if (limits.length === 0) return
    return chain(this.#options.counters.hit(space, addressKey(ip), limits, nowMs, hits), ({ allowed, resetMs }) => {
      if (allowed) return
      const retryAfter = secondsOf(resetMs)
      const message = `Limit of ${limitsText(limits)} reached for this address; retry in ${retryAfter} s.`
      throw new Refusal('IP_RATE_LIMITED', message, { retryAfter })
    })
  }

  #readQuota({ key, app }: Identified, nowMs: number): QuotaHeaders | null | Promise<QuotaHeaders> {
    const charged = key ?? app
    return charged ? this.#quotas.readQuota(charged, nowMs) : null
  }

  #admitted(
    { caller, key, app = null, refusal }: Identified,
    quotaHeaders: QuotaHeaders | null,
    requestId: string,
    now: Date,
  ): Omit<Admission, 'usage'> {
    if (refusal) throw refusal
    if (!caller) throw new Error('a request was neither identified nor refused')
    if (key) this.#options.usage.used(key.record, caller.ip, now)
    return { caller, requestId, key, app, quotaHeaders }
  }
}
