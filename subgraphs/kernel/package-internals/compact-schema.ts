import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type ASTNode,
  type DocumentNode,
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

/**
 * Removes what only the construction of a schema and the printed contract read: syntax trees with their directives, and an empty object of
 * extensions for each element. In all schemas of a process together they take some thirty megabytes.
 */
export function compactSchema(schema: GraphQLSchema): void {
  const types = Object.values(schema.getTypeMap())
  const directives = schema.getDirectives().flatMap((directive) => [directive, ...directive.args])
  const elements: Element[] = [schema, ...directives, ...types, ...types.flatMap(elementsOf)]
  for (const element of elements) {
    element.astNode = undefined
    if (element.extensionASTNodes) element.extensionASTNodes = []
    if (Object.keys(element.extensions).length === 0) element.extensions = noExtensions
  }
}

/**
 * Empties the definitions of a document from which a schema was built, for a schema that keeps its document. Only the document's own
 * definitions: packages share those that they add themselves, such as the directives of federation, among all schemas.
 */
export function emptyDocument({ definitions }: DocumentNode): void {
  for (const definition of definitions) {
    for (const list of Object.values(definition)) if (Array.isArray(list)) list.length = 0
  }
}
