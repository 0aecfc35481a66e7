import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type ASTNode,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'

interface Element {
  extensions: Readonly<Record<string, unknown>>
  astNode?: ASTNode | null | undefined
  extensionASTNodes?: readonly ASTNode[]
}

const noExtensions = Object.freeze({})

/** The elements of a type: its fields with their arguments, or its values. */
function elementsOf(type: GraphQLNamedType): Element[] {
  if (isObjectType(type) || isInterfaceType(type))
    return Object.values(type.getFields()).flatMap((field) => [field, ...field.args])
  if (isInputObjectType(type)) return Object.values(type.getFields())
  return isEnumType(type) ? [...type.getValues()] : []
}

/** Empties the lists of a syntax tree, so that a document to which it belongs keeps only names and descriptions of types. */
function empty(node: ASTNode): void {
  for (const list of Object.values(node)) if (Array.isArray(list)) list.length = 0
}

/**
 * Removes what only the construction of a schema and the printed contract read: syntax trees with their directives, and an empty object of
 * extensions for each element. In all schemas of a process together they take some thirty megabytes. Packages that keep the document from
 * which a schema was built can no longer read it.
 */
export function compactSchema(schema: GraphQLSchema): void {
  const types = Object.values(schema.getTypeMap())
  const directives = schema.getDirectives().flatMap((directive) => [directive, ...directive.args])
  const elements: Element[] = [schema, ...directives, ...types, ...types.flatMap(elementsOf)]
  for (const element of elements) {
    if (element.astNode) empty(element.astNode)
    element.astNode = undefined
    element.extensionASTNodes?.forEach(empty)
    if (element.extensionASTNodes) element.extensionASTNodes = []
    if (Object.keys(element.extensions).length === 0) element.extensions = noExtensions
  }
}
