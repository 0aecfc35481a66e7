import type { KeyObject } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { addressKey } from '../../subgraphs/kernel/network/address.ts'
import type { Clock } from '../../subgraphs/kernel/time/clock.ts'
import type { Config, Limit } from '../../subgraphs/kernel/config/config.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { CounterCheck, Counters, LimitDecision } from '../../subgraphs/kernel/counters/counters.ts'
import type { CredentialSource, UsageSink } from '../../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { activeTracing, inSpan } from '../../subgraphs/kernel/tracing/tracing.ts'
import { clientAddress } from './address.ts'
import type { IncomingRequest } from './address.ts'
import { chain } from './chain.ts'
import { Credentials } from './credentials.ts'
import type { Identified } from './credentials.ts'
import { exchangeOf } from './exchange.ts'
import { addressGuards, applyGuards, keyFailureGuard } from './guards.ts'
import type { Guard } from './guards.ts'
import { presentedBy } from './presented.ts'
import { newRequestId, problemIn, requestIdOf, writeProblem, type Problem } from './problem.ts'
import { quotaCheck, quotaHeaders, quotaRefusal, setQuotaHeaders } from './quota.ts'
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
  /**
   * Set when `admit` was given `authorize`: the error that `spend` throws, or null when the operation is authorized and charged.
   * Otherwise `spend` charges.
   */
  readonly decision: { readonly error: unknown } | null
}

/** Throws the refusal of a caller who must not run the operation. Without side effects, because the request may be refused before. */
export type Authorize = (caller: Caller) => void

/** A request while `admit` decides on it. */
interface Attempt {
  readonly ip: string
  readonly now: Date
  readonly requestId: string
  readonly authorize: Authorize | null
}

/**
 * The request edge: rate limits per address, authentication and quota.
 *
 * `admit` throws or rejects with a `Refusal`. Then `spend` charges the key or the app. The caller checks the scopes in between, or
 * gives `authorize` to `admit`, which then also charges, in the same round trip of the counters; `spend` must be called as well.
 * Cached records are answered without a promise. If a response is given, both set its RateLimit headers, also on refusals.
 */
export class Edge {
  readonly #options: EdgeOptions
  readonly #credentials: Credentials

  constructor(options: EdgeOptions) {
    this.#options = options
    this.#credentials = new Credentials(options.source, options.verifying, options.csrfKey)
  }

  /** The key under which rate limits count this client. */
  addressOf(request: IncomingRequest): string {
    return addressKey(clientAddress(request, this.#options.config.trustProxy))
  }

  admit(
    request: IncomingRequest,
    res: ServerResponse | null,
    authorize: Authorize | null = null,
  ): Admission | Promise<Admission> {
    const tracing = activeTracing()
    if (tracing) return inSpan(tracing, 'edge admits', {}, () => this.#admit(request, res, authorize))
    return this.#admit(request, res, authorize)
  }

  #admit(
    request: IncomingRequest,
    res: ServerResponse | null,
    authorize: Authorize | null,
  ): Admission | Promise<Admission> {
    const { config, clock } = this.#options
    const startedMs = performance.now()
    const now = clock.now()
    const nowMs = now.getTime()
    const ip = clientAddress(request, config.trustProxy)
    const attempt = { ip, now, requestId: res ? requestIdOf(res) : newRequestId(), authorize }
    const presented = presentedBy(request.headers)
    const guards = addressGuards('address', ip, config.ipLimits)
    if (presented.kind === 'API_KEY') guards.push(keyFailureGuard(ip, 0))

    const cached = this.#credentials.identifyCached(presented, request, ip, nowMs)
    // A record is read only after the guards have passed, so that refused requests do not reach the database.
    const admitted = cached
      ? this.#decide(cached, guards, attempt, res)
      : chain(this.#apply(guards, null, nowMs), () =>
          chain(this.#credentials.identify(presented, request, ip, nowMs), (identified) =>
            this.#decide(identified, [], attempt, res),
          ),
        )
    return chain(admitted, (admission) => this.#withUsage(admission, startedMs, res))
  }

  /**
   * Charges the API key or the app for one authorized operation, or refuses it. Without a key and an app there is nothing to charge.
   * An operation that counts as several requests counts as many for the address as well; `admit` has counted one of them.
   */
  spend(admission: Admission, res: ServerResponse | null, requests = 1): void | Promise<void> {
    const { caller, key, decision } = admission
    if (decision) {
      if (decision.error !== null) throw decision.error
      return
    }
    const { config, clock, usage } = this.#options
    const now = clock.now()
    const charged = key ?? admission.app
    const guards = requests > 1 ? addressGuards('address', caller.ip, config.ipLimits, requests - 1) : []
    return chain(this.#apply(guards, charged && quotaCheck(charged, requests), now.getTime()), (quotaDecision) => {
      if (!charged || !quotaDecision) return
      admission.quotaHeaders = quotaHeaders(charged, quotaDecision)
      if (res) setQuotaHeaders(res, admission.quotaHeaders)
      if (quotaDecision.allowed) return
      if (key) usage.refused(key.record, now)
      throw quotaRefusal(charged, quotaDecision)
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
    const guards = addressGuards(`address-${name}`, ip, limits)
    return chain(this.#apply(guards, null, this.#options.clock.now().getTime()), () => {})
  }

  /**
   * The caller of an admitted connection with its current rights. Throws or rejects with a `Refusal` if the credential is no longer
   * valid. Counts nothing.
   */
  currentCaller(request: IncomingRequest): Caller | Promise<Caller> {
    const ip = clientAddress(request, this.#options.config.trustProxy)
    const nowMs = this.#options.clock.now().getTime()
    return chain(
      this.#credentials.identify(presentedBy(request.headers), request, ip, nowMs),
      ({ caller, refusal }) => {
        if (refusal) throw refusal
        if (caller && caller.kind !== 'ANONYMOUS') return caller
        throw new Refusal('UNAUTHENTICATED', 'The session has ended; sign in again.')
      },
    )
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
      const exchange = exchangeOf(res)
      if (exchange) exchange.caller = admitted.caller
      setResponseOwner(res, admitted.caller.organizationId || admitted.caller.ip)
      if (usage) res.once('close', () => this.finished(admission, statusSent(res)))
    }
    return admission
  }

  #apply(
    guards: readonly Guard[],
    quota: CounterCheck | null,
    nowMs: number,
  ): LimitDecision | null | Promise<LimitDecision | null> {
    return applyGuards(this.#options.counters, guards, quota, nowMs)
  }

  /** Applies the guards, reads or charges the quota, and then throws the refusal of the credential if there is one. */
  #decide(
    { caller, key, app = null, refusal, isKeyFailure }: Identified,
    guards: readonly Guard[],
    { ip, now, requestId, authorize }: Attempt,
    res: ServerResponse | null,
  ): Omit<Admission, 'usage'> | Promise<Omit<Admission, 'usage'>> {
    const { usage } = this.#options
    const decision = caller && authorize && { error: errorOf(authorize, caller) }
    const charged = key ?? app
    const quota = charged && quotaCheck(charged, decision?.error === null ? 1 : 0)
    const all = isKeyFailure ? [...guards, keyFailureGuard(ip, 1)] : guards
    return chain(this.#apply(all, quota, now.getTime()), (quotaDecision) => {
      const headers = charged && quotaDecision && quotaHeaders(charged, quotaDecision)
      if (res && headers) setQuotaHeaders(res, headers)
      if (refusal) throw refusal
      if (!caller) throw new Error('a request was neither identified nor refused')
      if (key) usage.used(key.record, caller.ip, now)
      const admission = { caller, requestId, key, app, quotaHeaders: headers }
      if (decision?.error !== null || !charged || !quotaDecision || quotaDecision.allowed)
        return { ...admission, decision }
      if (key) usage.refused(key.record, now)
      return { ...admission, decision: { error: quotaRefusal(charged, quotaDecision) } }
    })
  }
}

function errorOf(authorize: Authorize, caller: Caller): unknown {
  try {
    authorize(caller)
    return null
  } catch (error) {
    return error
  }
}
