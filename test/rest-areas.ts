import { subgraphs } from '../subgraphs/all.ts'
import type { RestArea } from '../subgraphs/kernel/record/rest-area.ts'

/** Every record type with a REST contract, as the subgraphs declare them: a new one is tested without being named. */
export const restAreas: readonly RestArea[] = subgraphs.flatMap(({ resources }) =>
  resources.flatMap(({ rest }) => rest ?? []),
)

/** `Account`, as the graph calls the record. */
export const typeOf = ({ definition }: RestArea): string => (definition.entity as { name: string }).name

/** How the names of its operations begin: `account`. */
export function prefixOf(area: RestArea): string {
  const type = typeOf(area)
  return type.charAt(0).toLowerCase() + type.slice(1)
}
