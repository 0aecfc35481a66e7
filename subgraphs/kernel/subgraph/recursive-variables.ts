import {
  getNamedType,
  getVariableValues,
  GraphQLScalarType,
  GraphQLSchema,
  isInputObjectType,
  isInputType,
  Kind,
  typeFromAST,
  visit,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type VariableDefinitionNode,
} from 'graphql'

/** The type of a variable whose value graphql-js has already coerced. */
const Coerced = new GraphQLScalarType({ name: 'Coerced__' })

/** Adds the type `Coerced__`, which `withoutRecursion` uses as the type of recursive variables. */
export function withCoercedType(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig()
  return new GraphQLSchema({ ...config, types: [...config.types, Coerced], assumeValid: true })
}

/** Whether an input type contains itself, as filters do. */
function isRecursive(type: GraphQLInputType, above: readonly string[] = []): boolean {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return false
  if (above.includes(named.name)) return true
  return Object.values(named.getFields()).some((field) => isRecursive(field.type, [...above, named.name]))
}

export interface RewrittenOperation {
  readonly document: DocumentNode
  /** Null when no variable is recursive. */
  readonly coerce: ((variables: object) => { variables: object } | { errors: readonly GraphQLError[] }) | null
}

/**
 * graphql-jit compiles the check of a variable down to its leaf types, which never ends for an input type that contains itself.
 * graphql-js coerces such variables instead, and the compiled operation accepts them unchecked.
 */
export function withoutRecursion(schema: GraphQLSchema, document: DocumentNode): RewrittenOperation {
  const recursive: VariableDefinitionNode[] = []
  const rewritten = visit(document, {
    VariableDefinition(definition) {
      const type = typeFromAST(schema, definition.type)
      if (!isInputType(type) || !isRecursive(type)) return undefined
      recursive.push(definition)
      const { defaultValue: _, ...rest } = definition
      return { ...rest, type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: Coerced.name } } } as const
    },
  })
  if (recursive.length === 0) return { document, coerce: null }
  return {
    document: rewritten,
    coerce(variables) {
      const { errors, coerced } = getVariableValues(schema, recursive, variables as Record<string, unknown>)
      return errors ? { errors } : { variables: { ...variables, ...coerced } }
    },
  }
}
