import type { PlanNode } from '@apollo/query-planner'
import {
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  parse,
  type GraphQLNamedType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql'
import { collectFields, selectionSetsOf, type SelectionContext } from './collect.ts'

/** What is needed of the supergraph. */
interface Supergraph {
  readonly apiSchema: GraphQLSchema
  /** Names of types that have fewer members for clients than in the subgraphs. */
  readonly narrowed: ReadonlySet<string>
}

interface Source {
  /** Where the answer is merged into the data: response names, without the marks of lists. */
  readonly path: readonly string[]
  readonly selectionSets: readonly SelectionSetNode[]
}

const separator = '.'
export const pathBelow = (path: string, key: string): string => (path === '' ? key : path + separator + key)

function sourcesOf(node: PlanNode, path: readonly string[] = []): Source[] {
  switch (node.kind) {
    case 'Fetch': {
      const root = parse(node.operation, { noLocation: true }).definitions.flatMap((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet : [],
      )
      const entities = root.flatMap(({ selections }) =>
        selections.flatMap((field) => (field.kind === Kind.FIELD && field.selectionSet) || []),
      )
      return [{ path, selectionSets: node.requires ? entities : root }]
    }
    case 'Flatten':
      return sourcesOf(node.node, [...path, ...node.path.map(String).filter((key) => key !== '@')])
    case 'Sequence':
    case 'Parallel':
      return node.nodes.flatMap((child) => sourcesOf(child, path))
    default:
      return []
  }
}

const rewrites = (node: PlanNode): boolean => {
  if (node.kind === 'Fetch') return Boolean(node.outputRewrites?.length)
  if (node.kind === 'Flatten') return rewrites(node.node)
  return 'nodes' in node && node.nodes.some(rewrites)
}

/** What the fetches of a plan select. */
export class Fetched {
  /** How to read the selections of fetches. */
  readonly reading: SelectionContext
  private readonly narrowed: ReadonlySet<string>
  private readonly selections = new Map<string, (readonly SelectionSetNode[])[]>()
  /** The paths of all fetches, and all paths above them. */
  private readonly extended = new Set<string>()

  private constructor({ apiSchema, narrowed }: Supergraph, plan: PlanNode) {
    this.reading = { schema: apiSchema, fragments: new Map() }
    this.narrowed = narrowed
    for (const { path, selectionSets } of sourcesOf(plan)) {
      const key = path.join(separator)
      this.selections.set(key, [...this.at(key), selectionSets])
      for (let length = path.length; length > 0; length--) this.extended.add(path.slice(0, length).join(separator))
    }
  }

  /** Null for a plan that renames or replaces what it fetches. */
  static of(supergraph: Supergraph, plan: PlanNode | null): Fetched | null {
    return plan && !rewrites(plan) ? new Fetched(supergraph, plan) : null
  }

  /** The selections of the fetches whose answers are merged at this path. */
  at(path: string): readonly (readonly SelectionSetNode[])[] {
    return this.selections.get(path) ?? []
  }

  /**
   * Whether the data at this path is the answer: one fetch selects it, exactly as the client does and in the same order, and no further
   * fetch adds to it. Subgraphs check their own answers.
   */
  isAnswer(
    path: string,
    type: GraphQLNamedType,
    client: SelectionContext,
    selected: readonly SelectionSetNode[],
    fetched: readonly (readonly SelectionSetNode[])[],
  ): boolean {
    const [only, ...others] = fetched
    return !!only && others.length === 0 && !this.extended.has(path) && this.isSame(type, client, selected, only)
  }

  private isSame(
    type: GraphQLNamedType,
    client: SelectionContext,
    selected: readonly SelectionSetNode[],
    fetched: readonly SelectionSetNode[],
  ): boolean {
    if (!isCompositeType(type)) return !this.narrowed.has(type.name)
    if (!isObjectType(type)) return false
    const other = [...collectFields(this.reading, type, fetched).values()]
    const own = [...collectFields(client, type, selected).values()]
    return (
      own.length === other.length &&
      own.every(({ key, name, nodes }, index) => {
        const field = type.getFields()[name]
        const same = other[index]!
        if (key !== same.key || name !== same.name) return false
        return (
          !field || this.isSame(getNamedType(field.type), client, selectionSetsOf(nodes), selectionSetsOf(same.nodes))
        )
      })
    )
  }
}
