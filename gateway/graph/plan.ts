import type { FetchDataRewrite, FetchNode, PlanNode } from '@apollo/query-planner'
import { Kind, parse, type GraphQLSchema } from 'graphql'
import type { SubgraphEndpoint } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { RequiredFields } from './representations.ts'
import { renamedKeys } from './rewrites.ts'

/** A compiled query plan: endpoints resolved, paths joined, required fields compiled. */
export type Step = FetchStep | { readonly kind: 'sequence' | 'parallel'; readonly steps: readonly Step[] }

export interface FetchStep {
  readonly kind: 'fetch'
  readonly endpoint: SubgraphEndpoint
  readonly document: string
  readonly variables: readonly string[]
  /** The path of the answer in the data; `@` stands for every item of a list. */
  readonly path: readonly string[]
  /** The fields that the entities at the path must have; null for a fetch from the root. */
  readonly required: RequiredFields | null
  readonly inputRewrites: readonly FetchDataRewrite[] | undefined
  readonly outputRewrites: readonly FetchDataRewrite[] | undefined
  readonly renamedKeys: ReadonlyMap<string, string>
  /** Response names of a fetch from the root: the paths of the errors if the subgraph does not answer. */
  readonly rootKeys: readonly string[]
}

export interface PlanDependencies {
  /** The whole schema of the supergraph, because required fields may have types that clients do not see. */
  readonly schema: GraphQLSchema
  readonly endpoints: ReadonlyMap<string, SubgraphEndpoint>
}

function rootKeysOf(document: string): string[] {
  const [operation] = parse(document, { noLocation: true }).definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return []
  const keys = operation.selectionSet.selections.flatMap((node) =>
    node.kind === Kind.FIELD ? (node.alias ?? node.name).value : [],
  )
  return [...new Set(keys)]
}

function fetchStep(dependencies: PlanDependencies, node: FetchNode, path: readonly string[]): FetchStep {
  const endpoint = dependencies.endpoints.get(node.serviceName)
  if (!endpoint) throw new Error(`The plan requests the subgraph "${node.serviceName}", which has no endpoint.`)
  if (node.contextRewrites?.length) throw new Error('Plans with @fromContext are not supported.')
  return {
    kind: 'fetch',
    endpoint,
    document: node.operation,
    variables: node.variableUsages ?? [],
    path,
    required: node.requires ? new RequiredFields(dependencies.schema, node.requires) : null,
    inputRewrites: node.inputRewrites,
    outputRewrites: node.outputRewrites,
    renamedKeys: renamedKeys(node.outputRewrites),
    rootKeys: node.requires ? [] : rootKeysOf(node.operation),
  }
}

export function compilePlan(dependencies: PlanDependencies, node: PlanNode, path: readonly string[] = []): Step {
  const compile = (child: PlanNode): Step => compilePlan(dependencies, child, path)
  switch (node.kind) {
    case 'Fetch':
      return fetchStep(dependencies, node, path)
    case 'Flatten':
      return compilePlan(dependencies, node.node, [...path, ...node.path.map(String)])
    case 'Sequence':
      return { kind: 'sequence', steps: node.nodes.map(compile) }
    case 'Parallel':
      return { kind: 'parallel', steps: node.nodes.map(compile) }
    default:
      throw new Error(`A plan of an operation without conditions has a step of kind ${node.kind}.`)
  }
}
