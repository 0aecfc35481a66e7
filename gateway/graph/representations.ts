import type { QueryPlanSelectionNode } from '@apollo/query-planner'
import type { GraphQLSchema } from 'graphql'
import { isData, mergeInto, own } from './merge.ts'
import { satisfies } from './rewrites.ts'
import type { Data } from './shape.ts'

/** One required field, or a group of fields that is sent completely or not at all. */
type RequiredPart =
  { readonly key: string; readonly nested: RequiredFields | null } | { readonly group: readonly RequiredPart[] }

/** Builds the representation by which a subgraph finds an entity, by the entity's type. */
export class RequiredFields {
  private readonly schema: GraphQLSchema
  private readonly selections: readonly QueryPlanSelectionNode[]
  private readonly ofType = new Map<string, readonly RequiredPart[]>()

  constructor(schema: GraphQLSchema, selections: readonly QueryPlanSelectionNode[]) {
    this.schema = schema
    this.selections = selections
  }

  /** Null if a required field could not be fetched; the entity is then not requested. */
  of(entity: Data): Data | null {
    const given = entity['__typename']
    const typename = typeof given === 'string' ? given : ''
    let parts = this.ofType.get(typename)
    if (!parts) {
      parts = this.partsFor(typename, this.selections)
      this.ofType.set(typename, parts)
    }
    const [only, ...others] = parts
    return representation(only && others.length === 0 && 'group' in only ? only.group : parts, entity)
  }

  private partsFor(typename: string, selections: readonly QueryPlanSelectionNode[]): readonly RequiredPart[] {
    const parts = new Map<string, RequiredPart>()
    for (const node of selections) {
      if (node.kind === 'Field') {
        const nested = node.selections ? new RequiredFields(this.schema, node.selections) : null
        parts.set(JSON.stringify(node), { key: node.alias ?? node.name, nested })
      } else if (node.typeCondition && typename !== '' && satisfies(this.schema, typename, node.typeCondition)) {
        parts.set(JSON.stringify(node.selections), { group: this.partsFor(typename, node.selections) })
      }
    }
    return [...parts.values()]
  }
}

function representation(parts: readonly RequiredPart[], entity: Data): Data | null {
  const result: Data = {}
  for (const part of parts) {
    if ('group' in part) {
      const group = representation(part.group, entity)
      if (group) mergeInto(result, group)
      continue
    }
    const value = own(entity, part.key)
    if (value === undefined) return null
    result[part.key] = part.nested ? nestedValue(part.nested, value) : value
  }
  return result
}

function nestedValue(required: RequiredFields, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => nestedValue(required, item))
  return isData(value) ? required.of(value) : value
}
