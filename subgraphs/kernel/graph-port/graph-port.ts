import type { Caller } from '../context.ts'
import type { DryRunReport } from '../dry-run.ts'
import { Refusal } from '../errors.ts'

/** A query or mutation of the whole graph with its variables. */
export interface GraphQuery {
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
  /** Maximum cost, in the unit of the limit of clients. */
  readonly costMax: number
}

export interface GraphError {
  readonly message: string
  readonly path?: readonly (string | number)[] | undefined
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

export interface GraphAnswer {
  readonly data: Readonly<Record<string, unknown>> | null
  readonly errors: readonly GraphError[]
  /** True if a mutation was answered from its idempotency record and nothing ran. */
  readonly replayed?: boolean
  /** Of a mutation that was tried. */
  readonly dryRun?: DryRunReport
}

/** The graph of all subgraphs, for subgraphs that use it on behalf of a user. The gateway implements it, because subgraphs must not import it. */
export interface GraphPort {
  /** Throws the `Refusal` that a client would get: the operation is not a query, is not valid, too large or too expensive, or the caller lacks a scope. */
  check(query: GraphQuery, caller: Caller): Promise<void>
  /** Executes a query as the caller, with all checks of a client's query; refuses every other operation. It is cancelled after the timeout. */
  read(
    query: GraphQuery,
    caller: Caller,
    options: { readonly requestId: string; readonly timeoutMs: number },
  ): Promise<GraphAnswer>
  /**
   * Executes a mutation as the caller, with all checks of a client's mutation; refuses every other operation. It runs at most once per key
   * of the caller's credential, as with an `Idempotency-Key`: a later call with the same key and mutation returns the stored answer and
   * changes nothing, also after `kill -9`. It has no timeout, because a write that may have run must not be given up. With `dryRun` in place of a
   * key it is tried, and rolled back.
   */
  execute(
    mutation: GraphQuery,
    caller: Caller,
    options: { readonly requestId: string } & (
      { readonly idempotencyKey: string } | { readonly dryRun: 'CHANGES'; readonly idempotencyKey?: undefined }
    ),
  ): Promise<GraphAnswer>
}

/** The port of a process. Its graph is created at the first use, because it needs the other services, and most processes never use it. */
export class GraphConnection implements GraphPort {
  #open: (() => Promise<GraphPort>) | null = null
  #opened: Promise<GraphPort> | null = null

  /** Sets how the graph is created. The last call before the first use applies. */
  connect(open: () => Promise<GraphPort>): void {
    this.#open = open
  }

  async check(...args: Parameters<GraphPort['check']>): Promise<void> {
    return (await this.#graph()).check(...args)
  }

  async read(...args: Parameters<GraphPort['read']>): Promise<GraphAnswer> {
    return (await this.#graph()).read(...args)
  }

  async execute(...args: Parameters<GraphPort['execute']>): Promise<GraphAnswer> {
    return (await this.#graph()).execute(...args)
  }

  #graph(): Promise<GraphPort> {
    if (!this.#open) throw new Refusal('UNAVAILABLE', 'The graph is not connected in this process.', { retryAfter: 5 })
    // A failed attempt is not kept, so that the next use tries again.
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = null
      throw error
    })
    return this.#opened
  }
}
