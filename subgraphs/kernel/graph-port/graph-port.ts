import type { Caller } from '../context.ts'
import { Refusal } from '../errors.ts'

/** A query of the whole graph with its variables. */
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
}

/** The graph of all subgraphs, for subgraphs that read it on behalf of a user. The gateway implements it, because subgraphs must not import it. */
export interface GraphPort {
  /** Throws the `Refusal` that a client would get: the query is not valid, too large or too expensive, or the caller lacks a scope. */
  check(query: GraphQuery, caller: Caller): Promise<void>
  /** Executes a query as the caller, with all checks of a client's query. It is cancelled after the timeout. */
  read(
    query: GraphQuery,
    caller: Caller,
    options: { readonly requestId: string; readonly timeoutMs: number },
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
