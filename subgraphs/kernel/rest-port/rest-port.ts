import type { Caller } from '../context.ts'
import { Refusal } from '../errors.ts'

/** A request to the REST API, as a client would send it. */
export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Starts with `/v1/`; may have a query. */
  readonly path: string
  /** JSON; undefined if the request has no body. */
  readonly body?: unknown
}

export interface RestCall {
  readonly requestId: string
  /** Repeating a change with the same key returns the stored answer and changes nothing. Null for reads. */
  readonly idempotencyKey: string | null
  /** A change is tried, and rolled back; absent: it is made. */
  readonly dryRun?: 'CHANGES'
  readonly timeoutMs: number
}

export interface RestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The JSON of the answer, also that of a refused operation; null without a body. */
  readonly body: unknown
}

/** What the contract says about an operation; tests show that its scopes and roles are true. */
export interface RestOperationInfo {
  readonly id: string
  readonly method: RestRequest['method']
  /** The path with its parameters, such as `/v1/accounts/{id}`. */
  readonly path: string
  readonly summary: string
  /** Scopes of which a key or app needs each one; empty if it needs none, or if no scope gives the operation to it. */
  readonly scopes: readonly string[]
  /** Whether keys and apps may call it. */
  readonly isForKeys: boolean
  /** The only roles of users who may call it; null for all. */
  readonly roles: readonly string[] | null
  /** Whether users with the role READ_ONLY may call it, unless `roles` exclude them. */
  readonly isForReaders: boolean
  readonly isDeprecated: boolean
}

/** The REST API for subgraphs that use it on behalf of a user. The REST adapter implements it, because subgraphs must not import it. */
export interface RestPort {
  /**
   * Serves the request as the caller, with all checks of a client's request, without a connection. What the operation refuses is an answer; a `Refusal` is
   * thrown for a request that no operation gets: another path, a body or an answer that is too large, no answer in time. A read is cancelled
   * after the timeout; a change goes on, and the same key finds out what became of it.
   */
  call(request: RestRequest, caller: Caller, call: RestCall): Promise<RestAnswer>
  /** All operations of the contract, without the further paths of the same operation. */
  operations(): Promise<readonly RestOperationInfo[]>
}

/** The port of a process. It is opened at the first use, because it needs the other services, and most processes never use it. */
export class RestConnection implements RestPort {
  #open: (() => Promise<RestPort>) | null = null
  #opened: Promise<RestPort> | null = null

  /** Sets how the port is opened. The last call before the first use applies. */
  connect(open: () => Promise<RestPort>): void {
    this.#open = open
  }

  async call(...args: Parameters<RestPort['call']>): Promise<RestAnswer> {
    return (await this.#port()).call(...args)
  }

  async operations(): Promise<readonly RestOperationInfo[]> {
    return (await this.#port()).operations()
  }

  #port(): Promise<RestPort> {
    if (!this.#open) throw new Refusal('UNAVAILABLE', 'REST is not connected in this process.', { retryAfter: 5 })
    // A failed attempt is not kept, so that the next use tries again.
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = null
      throw error
    })
    return this.#opened
  }
}
