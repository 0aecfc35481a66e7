import type { QueryPlanSelectionNode } from '@apollo/query-planner'
import type { GraphQLSchema } from 'graphql'
import { isData, own } from './merge.ts'
import { satisfies } from './rewrites.ts'
import type { Data } from './shape.ts'

interface RequiredField {
  readonly key: string
  readonly nested: Required | null
}

/** What a subgraph must be told of an entity so that it can find it, by the entity's type. */
export class Required {
  private readonly schema: GraphQLSchema
  private readonly selections: readonly QueryPlanSelectionNode[]
  private readonly ofType = new Map<string, readonly RequiredField[]>()

  constructor(schema: GraphQLSchema, selections: readonly QueryPlanSelectionNode[]) {
    this.schema = schema
    this.selections = selections
  }

  /** Null when something that is required could not be fetched; the entity then stays without the fetch. */
  of(entity: Data): Data | null {
    const typename = entity['__typename']
    const representation: Data = {}
    for (const { key, nested } of this.fieldsOf(typeof typename === 'string' ? typename : '')) {
      const value = own(entity, key)
      if (value === undefined) return null
      representation[key] = nested ? representationOf(nested, value) : value
    }
    return representation
  }

  private fieldsOf(typename: string): readonly RequiredField[] {
    const known = this.ofType.get(typename)
    if (known) return known
    const nestedOf = new Map<string, QueryPlanSelectionNode[] | null>()
    const visit = (selections: readonly QueryPlanSelectionNode[]): void => {
      for (const node of selections) {
        if (node.kind === 'Field') {
          const key = node.alias ?? node.name
          const known = nestedOf.get(key)
          nestedOf.set(key, node.selections ? [...(known ?? []), ...node.selections] : null)
        } else if (node.typeCondition && typename !== '' && satisfies(this.schema, typename, node.typeCondition)) {
          visit(node.selections)
        }
      }
    }
    visit(this.selections)
    const fields = Array.from(nestedOf, ([key, nested]) => ({
      key,
      nested: nested && new Required(this.schema, nested),
    }))
    this.ofType.set(typename, fields)
    return fields
  }
}

function representationOf(required: Required, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => representationOf(required, item))
  return isData(value) ? required.of(value) : value
}
