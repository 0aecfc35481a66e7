import type { OperationTypeNode } from 'graphql'
import type { ScopeRequirement } from '../../subgraphs/kernel/scopes.ts'
import type { SubgraphEndpoint } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { Answers } from './answer.ts'
import { costOf, type CostNode } from './cost.ts'
import { parseWithin, refuseOversized, type GraphLimits } from './limits.ts'
import { operationParts, refuseInvalid, type OperationParts } from './operation.ts'
import { compilePlan, type Step } from './plan.ts'
import { requirementsOf } from './requirements.ts'
import { singleFetchOf } from './single-fetch.ts'
import type { LoadedSupergraph } from './supergraph.ts'
import { declaredVariables, type DeclaredVariable } from './variables.ts'

export interface PrepareSurroundings {
  readonly supergraph: LoadedSupergraph
  readonly endpoints: ReadonlyMap<string, SubgraphEndpoint>
  readonly limits: GraphLimits
  /** Off only to compare: every operation then runs through the executor. */
  readonly singleFetch: boolean
}

/** The client's own document goes to one subgraph. */
interface SingleRoute {
  readonly kind: 'single'
  readonly endpoint: SubgraphEndpoint
  readonly document: string
  /** Response names: where an error belongs when the subgraph did not answer. */
  readonly rootKeys: readonly string[]
}

/** How an operation is executed. */
export type Route = SingleRoute | { readonly kind: 'plan'; readonly step: Step | null }

/** One operation of one document, read and checked as far as that is possible without variables and caller. */
export class Prepared {
  readonly kind: OperationTypeNode
  readonly name: string | null
  /** What the caller must hold, all of these; the order says nothing. */
  readonly requirements: readonly ScopeRequirement[]
  readonly parts: OperationParts
  readonly variables: readonly DeclaredVariable[]
  readonly cost: readonly CostNode[]
  readonly answers: Answers
  private readonly surroundings: PrepareSurroundings
  private planned: Route | null = null

  constructor(surroundings: PrepareSurroundings, parts: OperationParts) {
    const { apiSchema, requirements } = surroundings.supergraph
    const { operation, fragments, conditions, document } = parts
    this.surroundings = surroundings
    this.parts = parts
    this.kind = operation.operation
    this.name = operation.name?.value ?? null
    this.requirements = requirementsOf(apiSchema, requirements, document)
    this.variables = declaredVariables(apiSchema, operation, conditions)
    this.cost = costOf(apiSchema, operation, fragments)
    this.answers = new Answers(apiSchema, parts)
  }

  /** Planned when first executed: many stored documents never are. */
  get route(): Route {
    this.planned ??= this.plan()
    return this.planned
  }

  private plan(): Route {
    const { supergraph, endpoints, singleFetch } = this.surroundings
    const plan = supergraph.plan(this.parts.document)
    const single = singleFetch ? singleFetchOf(supergraph, this.parts, plan) : null
    const endpoint = single && endpoints.get(single.subgraph)
    if (endpoint) return { kind: 'single', endpoint, document: single.document, rootKeys: single.rootKeys }
    return { kind: 'plan', step: plan && compilePlan({ schema: supergraph.schema, endpoints }, plan) }
  }
}

/** Throws a `Refusal` for a document that cannot be parsed, is too large, is not valid or has no such operation. */
export function prepare(surroundings: PrepareSurroundings, source: string, operationName: string | null): Prepared {
  const { supergraph, limits } = surroundings
  const document = parseWithin(limits, source)
  refuseOversized(limits, supergraph.apiSchema, document)
  refuseInvalid(supergraph.apiSchema, document)
  return new Prepared(surroundings, operationParts(document, operationName))
}
