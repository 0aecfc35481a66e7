import type { GraphQLField, GraphQLFieldResolver, GraphQLObjectType, GraphQLSchema } from 'graphql'
import { getMetadataStorage } from 'type-graphql'
import { declaredArgument } from '../record/declared-value.ts'
import { boundsCheck } from './argument-bounds.ts'
import { dayConversion } from './day-arguments.ts'

type Storage = ReturnType<typeof getMetadataStorage>
type Handler = Storage['queries'][number] | Storage['fieldResolvers'][number]
type Parameter = NonNullable<Handler['params']>[number]
type Given = Record<string, unknown>
type Read = (root: unknown, args: Given, context: unknown, info: unknown) => unknown
type ResolverClass = new () => object

function readerOf(parameter: Parameter): Read {
  switch (parameter.kind) {
    case 'args':
      return (_root, args) => args
    case 'arg':
      return (_root, args) => args[parameter.name]
    case 'root':
      return (root) => root
    case 'context':
      return (_root, _args, context) => context
    case 'info':
      return (_root, _args, _context, info) => info
    default:
      throw new Error(`A resolver must not have a parameter of kind ${parameter.kind}.`)
  }
}

/** Rejects instead of throwing: graphql-jit adds a second error for the null of a resolver that throws. */
function callOf(
  instance: object,
  { methodName, params = [] }: Handler,
  { args: taken }: GraphQLField<unknown, unknown>,
): GraphQLFieldResolver<unknown, unknown> {
  const method = (instance as Record<string, (...values: unknown[]) => unknown>)[methodName]!
  const readers = params.toSorted((a, b) => a.index - b.index).map(readerOf)
  const withDays = dayConversion(taken)
  const refuse = boundsCheck(taken)
  const call: GraphQLFieldResolver<unknown, unknown> = (root, args: Given, context, info) => {
    refuse?.(args)
    return method.apply(
      instance,
      readers.map((read) => read(root, args, context, info)),
    )
  }
  return (root, args: Given, context, info) => {
    try {
      const converted = withDays ? withDays(args, context) : args
      return converted instanceof Promise
        ? converted.then((given) => call(root, given, context, info))
        : call(root, converted, context, info)
    } catch (error) {
      return Promise.reject(error as Error)
    }
  }
}

/**
 * Makes the fields of the schema call the methods of the resolver classes directly.
 *
 * type-graphql copies all arguments into instances of their classes at every call, and searches all input types of the process for
 * each field of each of these classes: a list with a filter spent more time there than in its answer. Resolvers need no instances,
 * because graphql-js has checked the arguments and built new objects from them.
 */
export function callResolversDirectly(schema: GraphQLSchema, classes: readonly ResolverClass[]): void {
  const { queries, mutations, fieldResolvers, objectTypes } = getMetadataStorage()
  const instances = classes.map((resolver) => new resolver())
  const resolveWith = (type: GraphQLObjectType | undefined | null, name: string, handler: Handler): void => {
    const field: GraphQLField<unknown, unknown> | undefined = type?.getFields()[name]
    // The target is the class itself, or one that it extends.
    const instance = instances.find((one) => one instanceof (handler.target as ResolverClass))
    if (!field || !instance) return
    for (const argument of field.args) {
      const value = declaredArgument(handler.target, handler.methodName, argument.name)
      if (value) argument.extensions = { ...argument.extensions, value }
    }
    field.resolve = callOf(instance, handler, field)
  }
  for (const query of queries) resolveWith(schema.getQueryType(), query.schemaName, query)
  for (const mutation of mutations) resolveWith(schema.getMutationType(), mutation.schemaName, mutation)
  for (const resolver of fieldResolvers) {
    const objectType = objectTypes.find(({ target }) => target === resolver.getObjectType?.())
    if (!objectType) continue
    resolveWith(schema.getType(objectType.name) as GraphQLObjectType | undefined, resolver.schemaName, resolver)
  }
}
