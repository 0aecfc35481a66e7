import {
  getNamedType,
  isInputObjectType,
  isObjectType,
  Kind,
  parse,
  typeFromAST,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql'
import type { Contract } from '../../rest-adapter/contract.ts'
import { resolve, type OpenApiDocument, type ResponseObject, type Schema } from '../../rest-adapter/openapi.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import type { Json } from './event-file.ts'

/** Descriptions of properties in the form of the schemas that they belong to. */
interface Descriptions {
  description?: string
  properties?: Record<string, Descriptions>
  items?: Descriptions
}

/** The description of a field without the scopes that it needs, because an operation of REST names them. */
const textOf = ({ description }: GraphQLField<unknown, unknown> | GraphQLInputField): string =>
  (description ?? '').replace(/ ?Needs [^.]+\.$/, '')

/**
 * Collects the descriptions that the graph has for the properties of named schemas, by the name of the schema: properties of responses
 * through the stored documents, properties of bodies through the variables.
 */
class Collector {
  readonly schemas: Record<string, Descriptions> = {}

  constructor(
    private readonly document: OpenApiDocument,
    private readonly graph: GraphQLSchema,
  ) {}

  add(operation: RestOperation): void {
    const stored = parse(operation.document!)
    const fragments = new Map(
      stored.definitions
        .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
        .map((node): [string, FragmentDefinitionNode] => [node.name.value, node]),
    )
    const definition = stored.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!
    const [root] = definition.selectionSet.selections
    if (root?.kind !== Kind.FIELD) return
    const field = this.graph.getRootType(definition.operation)!.getFields()[root.name.value]
    // A printed document is older than the graph until it is printed again.
    if (!field) return
    const { path, method, success, body } = operation
    const response = resolve<ResponseObject>(
      this.document,
      this.document.paths[path]![method]!.responses[success.status]!,
    )
    const answered = response.content?.['application/json']?.schema
    if (answered) this.#selected(answered, getNamedType(field.type), root.selectionSet, fragments, {})
    for (const { variable, type } of definition.variableDefinitions ?? []) {
      const name = variable.name.value
      const given = this.document.paths[path]![method]!.requestBody?.content['application/json']?.schema
      const input = typeFromAST(this.graph, type as never)
      if (!body || !given || !input) continue
      const schema = name === 'input' ? given : resolve<Schema>(this.document, given).properties?.[name]
      if (schema) this.#given(schema, getNamedType(input), {})
    }
  }

  /** Where the descriptions of a schema are collected: at its name, or at the place where it is written. */
  #targetOf(schema: Schema, at: Descriptions): Descriptions {
    return schema.$ref ? (this.schemas[schema.$ref.split('/').at(-1)!] ??= {}) : at
  }

  #selected(
    given: Schema,
    type: GraphQLNamedType,
    set: SelectionSetNode | undefined,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    at: Descriptions,
  ): void {
    const target = this.#targetOf(given, at)
    const schema = resolve<Schema>(this.document, given)
    if (schema.items) return this.#selected(schema.items, type, set, fragments, (target.items ??= {}))
    if (!set || !isObjectType(type)) return
    for (const selection of set.selections) {
      if (selection.kind !== Kind.FIELD) {
        const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)!
        this.#selected(given, type, inner.selectionSet, fragments, at)
        continue
      }
      const field = type.getFields()[selection.name.value]
      if (!field) continue
      const property = this.#describe(schema, target, (selection.alias ?? selection.name).value, field)
      if (property)
        this.#selected(property.schema, getNamedType(field.type), selection.selectionSet, fragments, property.at)
    }
  }

  #given(given: Schema, type: GraphQLNamedType, at: Descriptions): void {
    const target = this.#targetOf(given, at)
    const schema = resolve<Schema>(this.document, given)
    if (schema.items) return this.#given(schema.items, type, (target.items ??= {}))
    if (!isInputObjectType(type)) return
    for (const field of Object.values(type.getFields())) {
      const property = this.#describe(schema, target, field.name, field)
      if (property) this.#given(property.schema, getNamedType(field.type), property.at)
    }
  }

  #describe(
    schema: Schema,
    target: Descriptions,
    name: string,
    field: GraphQLField<unknown, unknown> | GraphQLInputField,
  ): { readonly schema: Schema; readonly at: Descriptions } | null {
    const property = schema.properties?.[name]
    if (!property) return null
    const at = ((target.properties ??= {})[name] ??= {})
    at.description ??= textOf(field)
    return { schema: property, at }
  }
}

function withoutEmpty({ description, properties, items }: Descriptions): Json | null {
  const inner = Object.entries(properties ?? {}).flatMap(([name, each]): [string, Json][] => {
    const kept = withoutEmpty(each)
    return kept ? [[name, kept]] : []
  })
  const item = items ? withoutEmpty(items) : null
  const kept = {
    ...(description && { description }),
    ...(inner.length > 0 && { properties: Object.fromEntries(inner) }),
    ...(item && { items: item }),
  }
  return Object.keys(kept).length > 0 ? kept : null
}

/** The descriptions of the graph for the properties of the named schemas of REST, by the name of the schema. */
export function graphDescriptions({ document, operations }: Contract, graph: GraphQLSchema): Record<string, Json> {
  const collector = new Collector(document, graph)
  for (const operation of operations)
    if (operation.document && operation.id === operation.documentId) collector.add(operation)
  return Object.fromEntries(
    Object.entries(collector.schemas).flatMap(([name, descriptions]): [string, Json][] => {
      const kept = withoutEmpty(descriptions)
      return kept ? [[name, kept]] : []
    }),
  )
}
