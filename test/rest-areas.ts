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
