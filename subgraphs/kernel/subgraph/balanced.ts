import type { SubgraphEndpoint, SubgraphRequest, SubgraphResult } from './endpoint.ts'
import { Unanswered, type RemoteSubgraph } from './remote.ts'
import { isQuery } from './wire.ts'

/** How long a process that has failed or stops gets operations only if all others have failed too. */
const leftOutMs = 1_000

interface Process {
  readonly endpoint: RemoteSubgraph
  leftOutUntil: number
}

/**
 * A subgraph that runs in several processes, which get operations in turn. An operation that a process has not run is tried at the next one;
 * of operations that may have run, only reads are.
 */
export class BalancedSubgraph implements SubgraphEndpoint {
  readonly name: string
  readonly #processes: readonly Process[]
  #turn = 0

  constructor(
    endpoints: readonly RemoteSubgraph[],
    private readonly now: () => number = () => performance.now(),
  ) {
    this.name = endpoints[0]!.name
    this.#processes = endpoints.map((endpoint) => ({ endpoint, leftOutUntil: 0 }))
  }

  async execute(operation: SubgraphRequest): Promise<SubgraphResult> {
    let failure: unknown
    for (const process of this.#inTurn()) {
      try {
        const result = await process.endpoint.execute(operation)
        process.leftOutUntil = process.endpoint.isStopping ? this.now() + leftOutMs : 0
        return result
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error
        process.leftOutUntil = this.now() + leftOutMs
        failure = error
        const mayRunAgain = error.outcome === 'NOT_RUN' || (error.outcome === 'LOST' && isQuery(operation.document))
        if (!mayRunAgain) break
      }
    }
    throw failure
  }

  /** Closes idle connections. */
  close(): void {
    for (const { endpoint } of this.#processes) endpoint.close()
  }

  /** First the processes that are not left out. */
  #inTurn(): Process[] {
    const start = this.#turn++ % this.#processes.length
    const inTurn = [...this.#processes.slice(start), ...this.#processes.slice(0, start)]
    const now = this.now()
    return [
      ...inTurn.filter(({ leftOutUntil }) => leftOutUntil <= now),
      ...inTurn.filter(({ leftOutUntil }) => leftOutUntil > now),
    ]
  }
}
