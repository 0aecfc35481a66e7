import type { OpenApiDocument } from '../rest-adapter/openapi.ts'
import type { RestOperation } from '../rest-adapter/rest-operation.ts'
import { subgraphs } from '../subgraphs/all.ts'
import type { RestArea } from '../subgraphs/kernel/record/rest-area.ts'

/** Every record type with a REST contract, from the declarations of the subgraphs, so tests cover new record types automatically. */
export const restAreas: readonly RestArea[] = subgraphs.flatMap(({ resources }) =>
  resources.flatMap(({ rest }) => rest ?? []),
)

/** Name of the type in the graph, for example `Account`. */
export const typeOf = ({ definition }: RestArea): string => (definition.entity as { name: string }).name

/** Prefix of its operation names, for example `account`. */
export function prefixOf(area: RestArea): string {
  const type = typeOf(area)
  return type.charAt(0).toLowerCase() + type.slice(1)
}

/**
 * Whether every user, key and app may call the operation, whatever the scopes; some operations are also open without a
 * credential. One that takes a key from its query reads no other credential.
 */
export function acceptsAnyCredential(
  { scopes, keyParameter, path, method }: Pick<RestOperation, 'scopes' | 'keyParameter' | 'path' | 'method'>,
  { paths }: OpenApiDocument,
): boolean {
  const described = paths[path]![method] as { 'x-api-key-blocked'?: boolean } | undefined
  return scopes.length === 0 && keyParameter === null && !described?.['x-api-key-blocked']
}
