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

/** Names of the fields that plans fetch in addition to the client's selection: keys, required fields and type names. */
export function fetchedNames(supergraph: DocumentNode): Set<string> {
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
 * Replaces each alias that equals the name of a field which plans fetch, as in `id: name`, because the planner confuses the
 * two. Null if there is no such alias.
 */
export function withConflictingAliasesRenamed(
  { apiSchema, fetched }: { readonly apiSchema: GraphQLSchema; readonly fetched: ReadonlySet<string> },
  { document }: OperationParts,
): { readonly parts: OperationParts; readonly clientNames: ClientNames } | null {
  const used = namesIn(document)
  const replacements = new Map<string, string>()
  const replacementOf = (name: string): string => {
    let other = replacements.get(name)
    if (other !== undefined) return other
    for (other = `given_${name}`; used.has(other);) other += '_'
    replacements.set(name, other)
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
        return { ...node, alias: { ...alias, value: replacementOf(alias.value) } }
      },
    }),
  )
  if (replacements.size === 0) return null
  const clientNames = new Map(Array.from(replacements, ([name, other]) => [other, name] as const))
  return { parts: operationParts(renamed, null), clientNames }
}

/** The errors with the client's response names in their paths. */
export function withClientNames(
  errors: readonly GraphQLFormattedError[],
  clientNames: ClientNames | null,
): readonly GraphQLFormattedError[] {
  if (!clientNames) return errors
  const named = (part: string | number) => (typeof part === 'string' ? (clientNames.get(part) ?? part) : part)
  return errors.map((error) => (error.path ? { ...error, path: error.path.map(named) } : error))
}
