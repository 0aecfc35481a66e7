import { Histogram } from 'prom-client'
import { MetricBatch } from '../operate/metric-batch.ts'
import { activeTracing, inSpan } from '../tracing/tracing.ts'
import type { SubgraphEndpoint, SubgraphRequest, SubgraphResult } from './endpoint.ts'

const calls = new Histogram({
  name: 'crm_subgraph_call_duration_seconds',
  help: 'Seconds of the calls of the gateway to its subgraphs: answered, answered with errors, or failed.',
  labelNames: ['subgraph', 'outcome'],
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  collect: () => ended.flush(),
})

interface Call {
  readonly subgraph: string
  readonly outcome: 'answered' | 'errors' | 'failed'
  readonly durationMs: number
}

const ended = new MetricBatch<Call>(({ subgraph, outcome, durationMs }) =>
  calls.observe({ subgraph, outcome }, durationMs / 1000),
)

/** A subgraph whose calls are measured. */
export class MeasuredSubgraph implements SubgraphEndpoint {
  readonly name: string

  constructor(private readonly endpoint: SubgraphEndpoint) {
    this.name = endpoint.name
  }

  execute(request: SubgraphRequest): Promise<SubgraphResult> {
    const tracing = activeTracing()
    if (!tracing) return this.#measured(request)
    // Without the document, because a client's literals in it may be customer data.
    return inSpan(tracing, `subgraph ${this.name}`, {}, () => this.#measured(request))
  }

  #measured(request: SubgraphRequest): Promise<SubgraphResult> {
    const startedMs = performance.now()
    const end = (outcome: Call['outcome']): void =>
      ended.add({ subgraph: this.name, outcome, durationMs: performance.now() - startedMs })
    return this.endpoint.execute(request).then(
      (result) => {
        end(result.errors ? 'errors' : 'answered')
        return result
      },
      (thrown: unknown) => {
        end('failed')
        throw thrown
      },
    )
  }
}
