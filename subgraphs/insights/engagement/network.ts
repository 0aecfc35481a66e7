import { defaultEdges, type EngagementEntity } from './entities.ts'
import { pageRank, percentilesOf, type Edge } from './page-rank.ts'

/** p of F3, before it is divided by the sum of all. */
export const importanceOf = ({ properties }: EngagementEntity): number =>
  1 + Math.log1p(Math.max(0, properties?.openAmount ?? 0))

/** The relationships between two of the entities. One to oneself, to nobody or without weight is no edge. */
export function edgesOf(
  entities: readonly EngagementEntity[],
  weights: Readonly<Record<string, number>> = defaultEdges,
): Edge[] {
  const numbers = new Map(entities.map(({ id }, index) => [id, index]))
  return entities.flatMap(({ relationships }, from) =>
    (relationships ?? []).flatMap(({ targetId, type, strength }) => {
      const to = numbers.get(targetId)
      const weight = (weights[type] ?? 0) * (strength ?? 1)
      return to === undefined || to === from || weight <= 0 ? [] : [{ from, to, weight }]
    }),
  )
}

/** The network scores of the entities, from 0 to 100, in their order, and the number of edges. */
export function networkScores(
  entities: readonly EngagementEntity[],
  weights?: Readonly<Record<string, number>>,
): { readonly scores: readonly number[]; readonly edges: number } {
  const edges = edgesOf(entities, weights)
  const percentiles = percentilesOf(pageRank(entities.map(importanceOf), edges))
  return { scores: Array.from(percentiles, (percentile) => 100 * percentile), edges: edges.length }
}
