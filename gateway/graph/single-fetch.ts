import type { PlanNode } from '@apollo/query-planner'
import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isInputObjectType,
  isListType,
  Kind,
  parse,
  print,
  validate,
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { collectFields, selectionSetsOf, type CollectedField, type SelectionContext } from './collect.ts'
import type { OperationParts } from './operation.ts'
import type { LoadedSupergraph } from './supergraph.ts'

// Every possible type is compared; after this many comparisons the executor runs the operation.
const comparisonsMax = 20_000

/** The canonical text of a value: a single value where a list is expected becomes a list, and fields are sorted. */
function canonical(value: ValueNode, type: GraphQLInputType): string {
  const nullable = getNullableType(type)
  if (value.kind === Kind.VARIABLE || value.kind === Kind.NULL) return print(value)
  if (isListType(nullable)) {
    const items = value.kind === Kind.LIST ? value.values : [value]
    return `[${items.map((item) => canonical(item, nullable.ofType)).join()}]`
  }
  if (value.kind !== Kind.OBJECT || !isInputObjectType(nullable)) return print(value)
  const fields = nullable.getFields()
  const parts = value.fields.map(({ name, value: part }) => {
    const field = fields[name.value]
    return `${name.value}:${field ? canonical(part, field.type) : print(part)}`
  })
  return `{${parts.sort().join()}}`
}

function argumentsOf(field: GraphQLField<unknown, unknown>, { nodes }: CollectedField): string {
  const given = nodes[0]?.arguments ?? []
  const parts = given.map(({ name, value }) => {
    const argument = field.args.find((candidate) => candidate.name === name.value)
    return `${name.value}:${argument ? canonical(value, argument.type) : print(value)}`
  })
  return parts.sort().join()
}

/** Compares the client's selection with the selection of a plan, for each possible type. */
class Comparison {
  private readonly narrowed: ReadonlySet<string>
  private readonly client: SelectionContext
  private readonly plan: SelectionContext
  private comparisons = 0

  constructor(narrowed: ReadonlySet<string>, client: SelectionContext, plan: SelectionContext) {
    this.narrowed = narrowed
    this.client = client
    this.plan = plan
  }

  isSame(
    type: GraphQLCompositeType,
    selected: readonly SelectionSetNode[],
    fetched: readonly SelectionSetNode[],
  ): boolean {
    if (this.narrowed.has(type.name)) return false
    const possible = isAbstractType(type) ? this.client.schema.getPossibleTypes(type) : [type]
    return possible.every((one) => this.isSameFor(one, selected, fetched))
  }

  private isSameFor(
    type: GraphQLCompositeType,
    selected: readonly SelectionSetNode[],
    fetched: readonly SelectionSetNode[],
  ): boolean {
    const selectedFields = collectFields(this.client, type, selected)
    const fetchedFields = collectFields(this.plan, type, fetched)
    // Planners add __typename to learn types; the client's own document does not need it.
    if (!selectedFields.has('__typename')) fetchedFields.delete('__typename')
    if (selectedFields.size !== fetchedFields.size) return false
    for (const [key, field] of selectedFields) {
      const other = fetchedFields.get(key)
      if (++this.comparisons > comparisonsMax || !other || !this.isSameField(type, field, other)) return false
    }
    return true
  }

  private isSameField(type: GraphQLCompositeType, selected: CollectedField, fetched: CollectedField): boolean {
    if (selected.name !== fetched.name) return false
    if (selected.name === '__typename') return true
    const field = 'getFields' in type ? type.getFields()[selected.name] : undefined
    if (!field || argumentsOf(field, selected) !== argumentsOf(field, fetched)) return false
    const named = getNamedType(field.type)
    if (!isCompositeType(named)) return !this.narrowed.has(named.name)
    return this.isSame(named, selectionSetsOf(selected.nodes), selectionSetsOf(fetched.nodes))
  }
}

function selectionOf(document: DocumentNode): SelectionSetNode[] {
  return document.definitions.flatMap((node) => (node.kind === Kind.OPERATION_DEFINITION ? node.selectionSet : []))
}

export interface SingleFetch {
  readonly subgraph: string
  /** The client's own operation. The subgraph answers it in the client's shape and order. */
  readonly document: string
  readonly rootKeys: readonly string[]
}

/**
 * The one subgraph that can answer the client's operation unchanged, so that its answer is the client's answer. Null
 * unless the plan fetches exactly the selected fields and the subgraph's schema accepts the document.
 */
export function singleFetchOf(
  supergraph: LoadedSupergraph,
  { document, operation, fragments }: OperationParts,
  plan: PlanNode | null,
): SingleFetch | null {
  const { apiSchema } = supergraph
  const root = apiSchema.getRootType(operation.operation)
  if (plan?.kind !== 'Fetch' || plan.requires || !root) return null
  const fetched = parse(plan.operation, { noLocation: true })
  const client: SelectionContext = { schema: apiSchema, fragments }
  const comparison = new Comparison(supergraph.narrowed, client, { schema: apiSchema, fragments: new Map() })
  const rootFields = collectFields(client, root, [operation.selectionSet])
  if (rootFields.has('__typename')) return null
  if (!comparison.isSame(root, [operation.selectionSet], selectionOf(fetched))) return null
  const schema = supergraph.schemaOf(plan.serviceName)
  if (!schema || validate(schema, document).length > 0) return null
  return { subgraph: plan.serviceName, document: print(document), rootKeys: [...rootFields.keys()] }
}
