import {
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from 'graphql'
import type { ClientNames } from './collect.ts'
import { operationParts, type OperationParts } from './operation.ts'

/** What plans fetch beside what a client selects: keys, what other fields require, and type names. */
export function namesFetched(supergraph: DocumentNode): Set<string> {
  const names = new Set(['__typename'])
  visit(supergraph, {
    Directive({ name, arguments: given = [] }) {
      if (!name.value.startsWith('join__')) return
      for (const { name: argument, value } of given) {
        if (value.kind !== Kind.STRING || !['key', 'requires'].includes(argument.value)) continue
        for (const [field] of value.value.matchAll(/\w+/g)) names.add(field)
      }
    },
  })
  return names
}

function namesIn(document: DocumentNode): Set<string> {
  const names = new Set<string>()
  visit(document, { Name: ({ value }) => void names.add(value) })
  return names
}

/**
 * The operation with another response name where the client's is that of a field which plans fetch, as in `id: name`: the
 * planner does not tell the two apart. Null where there is none.
 */
export function withTakenNamesRenamed(
  { apiSchema, fetched }: { readonly apiSchema: GraphQLSchema; readonly fetched: ReadonlySet<string> },
  { document }: OperationParts,
): { readonly parts: OperationParts; readonly clientNames: ClientNames } | null {
  const used = namesIn(document)
  const fresh = new Map<string, string>()
  const freshOf = (name: string): string => {
    let other = fresh.get(name)
    if (other !== undefined) return other
    for (other = `given_${name}`; used.has(other);) other += '_'
    fresh.set(name, other)
    return other
  }
  const typeInfo = new TypeInfo(apiSchema)
  const renamed = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field(node) {
        const { name, alias } = node
        // Introspection is not planned.
        if (!alias || name.value === alias.value || typeInfo.getParentType()?.name.startsWith('__')) return
        if (name.value === '__schema' || name.value === '__type' || !fetched.has(alias.value)) return
        return { ...node, alias: { ...alias, value: freshOf(alias.value) } }
      },
    }),
  )
  if (fresh.size === 0) return null
  const clientNames = new Map(Array.from(fresh, ([name, other]) => [other, name] as const))
  return { parts: operationParts(renamed, null), clientNames }
}

/** Errors say where they are in the names of the client. */
export function inClientNames(
  errors: readonly GraphQLFormattedError[],
  clientNames: ClientNames | null,
): readonly GraphQLFormattedError[] {
  if (!clientNames) return errors
  const named = (part: string | number) => (typeof part === 'string' ? (clientNames.get(part) ?? part) : part)
  return errors.map((error) => (error.path ? { ...error, path: error.path.map(named) } : error))
}
