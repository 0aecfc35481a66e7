import {
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  parse,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { resolve, typesOf, type OpenApiDocument, type Schema } from '../../rest-adapter/openapi.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { objectOfType, strictestLevel } from '../../subgraphs/kernel/record/field-security.ts'
import { recordNamed } from '../../subgraphs/kernel/record/record-registry.ts'
import { restAreas, typeOf } from '../rest-areas.ts'

/** Whether an access profile can hide the field, so that REST omits it. */
function canBeHidden(type: GraphQLNamedType, field: string): boolean {
  const shape = recordNamed(objectOfType(type.name)) ?? restAreas.find((area) => typeOf(area) === type.name)?.definition
  const column = shape?.columns.byName.get(field)
  return column !== undefined && (strictestLevel(column) === 'HIDDEN' || column.derivedFrom !== undefined)
}

const isConditional = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name }) => name.value === 'include' || name.value === 'skip')

/** Properties of an operation's response that every response has although the contract does not require them, as `Schema.property`. */
export function presentButNotRequired(
  document: OpenApiDocument,
  graph: GraphQLSchema,
  { document: stored, method, path, success }: RestOperation,
): string[] {
  const { definitions } = parse(stored!)
  const fragments = new Map(
    definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node]),
  ) as ReadonlyMap<string, FragmentDefinitionNode>
  const operation = definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!
  const media = document.paths[path]![method]!.responses[success.status]! as {
    content: Record<string, { schema: Schema }>
  }

  const missing = (
    given: Schema,
    type: GraphQLNamedType,
    set: SelectionSetNode | undefined,
    above: string,
  ): string[] => {
    const at = given.$ref ? `${given.$ref.split('/').at(-1)}.` : above
    const schema = resolve<Schema>(document, given)
    if (typesOf(schema).includes('array')) return missing(schema.items ?? {}, type, set, at)
    if (!set || !isObjectType(type)) return []
    return set.selections.flatMap((selection) => {
      if (selection.kind !== Kind.FIELD) {
        const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)!
        return missing(schema, type, inner.selectionSet, at)
      }
      const name = (selection.alias ?? selection.name).value
      const property = schema.properties?.[name]
      if (!property) return []
      const isPresent = !isConditional(selection) && !canBeHidden(type, selection.name.value)
      const own = isPresent && !schema.required?.includes(name) ? [at + name] : []
      const fieldType = getNamedType(type.getFields()[selection.name.value]!.type)
      const below = isCompositeType(fieldType)
        ? missing(property, fieldType, selection.selectionSet, `${at}${name}.`)
        : []
      return [...own, ...below]
    })
  }
  const [root] = operation.selectionSet.selections
  if (root?.kind !== Kind.FIELD) return []
  const field = graph.getRootType(operation.operation)!.getFields()[root.name.value]!
  return missing(media.content['application/json']!.schema, getNamedType(field.type), root.selectionSet, '')
}
