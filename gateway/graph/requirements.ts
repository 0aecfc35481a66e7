import {
  getNamedType,
  type GraphQLSchema,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  Kind,
  visit,
  visitWithTypeInfo,
  TypeInfo,
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLNamedType,
} from 'graphql'
import { objectInterface } from '../../subgraphs/kernel/record/object-interface.ts'
import type { ScopeRequirement } from '../../subgraphs/kernel/scopes.ts'
import { tagsIn } from '../../subgraphs/kernel/subgraph/tags.ts'

/** The scope requirements of the supergraph, by `Type` and by `Type.field`. */
export type Requirements = ReadonlyMap<string, ScopeRequirement>

const securityFeature = /\/(requiresScopes|authenticated|policy)\//
const securityName = /^(requiresScopes|authenticated|policy)(__.*)?$/

function requirementIn(directives: readonly ConstDirectiveNode[] | undefined): ScopeRequirement | null {
  const directive = directives?.find(({ name }) => name.value === 'requiresScopes')
  const lists = directive?.arguments?.find(({ name }) => name.value === 'scopes')?.value
  if (lists?.kind !== Kind.LIST) return null
  return lists.values.map((list) => {
    const scopes = list.kind === Kind.LIST ? list.values : [list]
    return scopes.flatMap((scope) => (scope.kind === Kind.STRING ? scope.value : []))
  })
}

/** Reads `@requiresScopes` of object types, interfaces, fields, scalars and enums. */
export function readRequirements(supergraph: DocumentNode): Requirements {
  const requirements = new Map<string, ScopeRequirement>()
  const note = (coordinate: string, directives: readonly ConstDirectiveNode[] | undefined): void => {
    const requirement = requirementIn(directives)
    if (requirement) requirements.set(coordinate, requirement)
  }
  for (const definition of supergraph.definitions) {
    switch (definition.kind) {
      case Kind.OBJECT_TYPE_DEFINITION:
      case Kind.INTERFACE_TYPE_DEFINITION:
        note(definition.name.value, definition.directives)
        for (const field of definition.fields ?? []) {
          note(`${definition.name.value}.${field.name.value}`, field.directives)
        }
        break
      case Kind.SCALAR_TYPE_DEFINITION:
      case Kind.ENUM_TYPE_DEFINITION:
        note(definition.name.value, definition.directives)
        break
      default:
    }
  }
  return requirements
}

/** The tags of the fields of object types, by `Type.field`. */
export function tagsOfFields(supergraph: DocumentNode): Map<string, string[]> {
  return new Map(
    supergraph.definitions.flatMap((definition) =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION
        ? (definition.fields ?? []).flatMap(({ name, directives }) => {
            const tags = tagsIn(directives)
            return tags.length > 0 ? [[`${definition.name.value}.${name.value}`, tags] as const] : []
          })
        : [],
    ),
  )
}

/** The supergraph without its security directives, which JavaScript planners refuse to load. `Graph` enforces them. */
export function withoutSecurity(supergraph: DocumentNode): DocumentNode {
  return visit(supergraph, {
    Directive(node) {
      if (securityName.test(node.name.value)) return null
      const url = node.arguments?.find(({ name }) => name.value === 'url')?.value
      return node.name.value === 'link' && url?.kind === Kind.STRING && securityFeature.test(url.value)
        ? null
        : undefined
    },
    DirectiveDefinition: (node) => (securityName.test(node.name.value) ? null : undefined),
    ScalarTypeDefinition: (node) => (securityName.test(node.name.value) ? null : undefined),
  })
}

function* namedInputTypes(type: GraphQLInputType, seen = new Set<GraphQLNamedType>()): Generator<GraphQLNamedType> {
  const named = getNamedType(type)
  if (seen.has(named)) return
  seen.add(named)
  yield named
  if (!isInputObjectType(named)) return
  for (const field of Object.values(named.getFields())) yield* namedInputTypes(field.type, seen)
}

/**
 * All scope requirements of one operation, whichever of its conditions hold: those of each selected field, of its type, of the
 * types of its arguments and, for an interface or union, of every possible type, except for `Node`.
 */
export function requirementsOf(
  schema: GraphQLSchema,
  requirements: Requirements,
  operation: DocumentNode,
): ScopeRequirement[] {
  if (requirements.size === 0) return []
  const needed = new Map<string, ScopeRequirement>()
  const need = (coordinate: string): void => {
    const requirement = requirements.get(coordinate)
    if (!requirement) return
    // [[a, b]] requires the same as [[a]] and [[b]]; composition writes joined requirements as one list.
    const [only, ...alternatives] = requirement
    const each = only && alternatives.length === 0 ? only.map((scope) => [[scope]]) : [requirement]
    for (const one of each) needed.set(JSON.stringify(one), one)
  }
  const needType = (type: GraphQLNamedType | null | undefined): void => {
    // Composition gives an interface the requirements of all its types; only records of types with a scope of the caller are answered as `Node`.
    if (!type || type.name === objectInterface) return
    need(type.name)
    if (isAbstractType(type)) for (const possible of schema.getPossibleTypes(type)) need(possible.name)
  }
  const typeInfo = new TypeInfo(schema)
  visit(
    operation,
    visitWithTypeInfo(typeInfo, {
      SelectionSet: () => needType(typeInfo.getParentType()),
      Field(node) {
        const parent = typeInfo.getParentType()
        if (!parent) return
        need(`${parent.name}.${node.name.value}`)
        if (isInterfaceType(parent)) {
          for (const possible of schema.getPossibleTypes(parent)) need(`${possible.name}.${node.name.value}`)
        }
        const type = typeInfo.getType()
        if (type) needType(getNamedType(type))
      },
      Argument() {
        const argument = typeInfo.getArgument()
        if (argument) for (const type of namedInputTypes(argument.type)) need(type.name)
      },
    }),
  )
  return [...needed.values()]
}
