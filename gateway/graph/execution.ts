import type { LRUCache } from 'lru-cache'
import type { SubgraphEndpoint } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { Answers } from './answer.ts'
import { withConditionsEvaluated, withoutEmptySelections, withoutUnusedVariables } from './conditions.ts'
import type { GraphLimits } from './limits.ts'
import { operationParts, type OperationParts } from './operation.ts'
import { Fetched } from './fetched.ts'
import { compilePlan, type Step } from './plan.ts'
import { singleFetchOf } from './single-fetch.ts'
import type { LoadedSupergraph } from './supergraph.ts'
import { withConflictingAliasesRenamed } from './conflicting-aliases.ts'
import type { ClientNames } from './collect.ts'
import type { Variables } from './variable-values.ts'

export interface PrepareDependencies {
  readonly supergraph: LoadedSupergraph
  readonly endpoints: ReadonlyMap<string, SubgraphEndpoint>
  readonly limits: GraphLimits
  /** False only in comparison tests: every operation then runs through the executor. */
  readonly singleFetch: boolean
  /** Cached executions of conditional operations, by operation and outcome of its conditions. */
  readonly outcomes: LRUCache<string, Execution>
}

/** One subgraph answers the client's own document. */
interface SingleRoute {
  readonly kind: 'single'
  readonly endpoint: SubgraphEndpoint
  readonly document: string
  /** Response names: the paths of the errors if the subgraph does not answer. */
  readonly rootKeys: readonly string[]
}

/** How an operation is executed. */
export type Route = SingleRoute | { readonly kind: 'plan'; readonly step: Step | null }

/** The compiled execution of an operation whose conditions are evaluated. */
export class Execution {
  /** Null if every field is fetched under the client's own response name. */
  readonly clientNames: ClientNames | null
  private readonly dependencies: PrepareDependencies
  private readonly parts: OperationParts
  private planned: Route | null = null
  private built: Answers | null = null
  private fetched: Fetched | null = null

  constructor(dependencies: PrepareDependencies, parts: OperationParts) {
    const { supergraph } = dependencies
    const renamed = withConflictingAliasesRenamed(supergraph, parts)
    this.dependencies = dependencies
    this.parts = renamed?.parts ?? parts
    this.clientNames = renamed?.clientNames ?? null
  }

  get answers(): Answers {
    this.built ??= new Answers(this.dependencies.supergraph, this.parts, this.clientNames, this.fetched)
    return this.built
  }

  /** Planned at the first execution, because many stored documents are never executed. */
  get route(): Route {
    this.planned ??= this.plan()
    return this.planned
  }

  private plan(): Route {
    const { supergraph, endpoints, singleFetch } = this.dependencies
    const { document, operation } = this.parts
    if (operation.selectionSet.selections.length === 0) return { kind: 'plan', step: null }
    const filled = withoutEmptySelections(document)
    const plan = supergraph.plan(filled)
    // For an empty selection the subgraph would return the type name, which the client did not select.
    const isClientDocument = filled === document && !this.clientNames
    const single = singleFetch && isClientDocument ? singleFetchOf(supergraph, this.parts, plan) : null
    const endpoint = single && endpoints.get(single.subgraph)
    if (endpoint) return { kind: 'single', endpoint, document: single.document, rootKeys: single.rootKeys }
    this.fetched = Fetched.of(supergraph, plan)
    return { kind: 'plan', step: plan && compilePlan({ schema: supergraph.schema, endpoints }, plan) }
  }
}

/** The operation with its conditions evaluated by these variables. */
export function evaluatedParts({ document }: OperationParts, variables: Variables): OperationParts {
  // Unused fragments are removed first, so that their variables count as unused.
  const { document: lean } = operationParts(withConditionsEvaluated(document, variables), null)
  return operationParts(withoutUnusedVariables(lean), null)
}
