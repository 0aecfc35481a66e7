import type { GraphQLFormattedError } from 'graphql'
import type { OperationContext } from '../context.ts'
import type { DryRunReport } from '../dry-run.ts'

/** One GraphQL operation for one subgraph. */
export interface SubgraphRequest {
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly context: OperationContext
}

export interface SubgraphResult {
  data?: Record<string, unknown> | null
  errors?: readonly GraphQLFormattedError[]
  /** True when the stored answer of an idempotency key was returned and nothing was executed. */
  replayed?: boolean
  /** Of a dry run: what it would have done. */
  dryRun?: DryRunReport
}

/** A subgraph as the gateway sees it: in this process or behind HTTP. */
export interface SubgraphEndpoint {
  readonly name: string
  execute(request: SubgraphRequest): Promise<SubgraphResult>
}
