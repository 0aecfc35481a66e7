/** A relation between two entities, each by its number; it leads both ways. */
export interface Edge {
  readonly from: number
  readonly to: number
  readonly weight: number
}

export const damping = 0.85
const changeMin = 1e-6
const roundsMax = 100

/** The edges of each node, one after the other: those of node v are at `starts[v]` to `starts[v + 1]`. */
interface Network {
  readonly starts: Uint32Array
  readonly neighbours: Uint32Array
  readonly weights: Float64Array
  /** The sum of the weights of each node. */
  readonly totals: Float64Array
}

function networkOf(nodes: number, edges: readonly Edge[]): Network {
  const starts = new Uint32Array(nodes + 1)
  for (const { from, to } of edges) {
    starts[from + 1]! += 1
    starts[to + 1]! += 1
  }
  for (let node = 0; node < nodes; node++) starts[node + 1]! += starts[node]!
  const free = starts.slice()
  const neighbours = new Uint32Array(2 * edges.length)
  const weights = new Float64Array(2 * edges.length)
  const totals = new Float64Array(nodes)
  const add = (from: number, to: number, weight: number): void => {
    const at = free[to]!++
    neighbours[at] = from
    weights[at] = weight
    totals[from]! += weight
  }
  for (const { from, to, weight } of edges) {
    add(from, to, weight)
    add(to, from, weight)
  }
  return { starts, neighbours, weights, totals }
}

/**
 * F3: weighted PageRank that returns to the nodes in proportion to `importance`; the ranks add up to 1. A node without edges passes its rank
 * on in the same proportion.
 */
export function pageRank(importance: readonly number[], edges: readonly Edge[]): Float64Array {
  const nodes = importance.length
  const total = importance.reduce((sum, value) => sum + value, 0)
  const home = Float64Array.from(importance, (value) => value / total)
  const { starts, neighbours, weights, totals } = networkOf(nodes, edges)
  let ranks = home.slice()
  let next = new Float64Array(nodes)
  for (let round = 0; round < roundsMax; round++) {
    let dangling = 0
    for (let node = 0; node < nodes; node++) if (totals[node] === 0) dangling += ranks[node]!
    let change = 0
    for (let node = 0; node < nodes; node++) {
      let received = 0
      for (let at = starts[node]!; at < starts[node + 1]!; at++) {
        const neighbour = neighbours[at]!
        received += (ranks[neighbour]! * weights[at]!) / totals[neighbour]!
      }
      const rank = (1 - damping) * home[node]! + damping * (received + dangling * home[node]!)
      change += Math.abs(rank - ranks[node]!)
      next[node] = rank
    }
    ;[ranks, next] = [next, ranks]
    if (change < changeMin) break
  }
  return ranks
}

/** Ranks that differ by less are equal: they differ by the order of additions only. */
const equalWithin = 1e-12

/** The share of values that are lower, with half of those that are equal, of each value; 0.5 where all are equal. */
export function percentilesOf(values: ArrayLike<number>): Float64Array {
  const keys = Float64Array.from(values, (value) => Math.round(value / equalWithin))
  const sorted = keys.toSorted()
  const percentiles = new Map<number, number>()
  for (let first = 0; first < sorted.length;) {
    let end = first
    while (end < sorted.length && sorted[end] === sorted[first]) end++
    percentiles.set(sorted[first]!, (first + (end - first) / 2) / sorted.length)
    first = end
  }
  return keys.map((key) => percentiles.get(key)!)
}
