/** Rank (from 0) of a percentile among `count` values by the nearest-rank method. */
export const rankOf = (percent: number, count: number): number => Math.max(0, Math.ceil((percent / 100) * count) - 1)

/** The value with this rank. Reorders `values` (Hoare's selection). */
export function select(values: Float64Array, rank: number): number {
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const pivot = medianOfThree(values[low]!, values[(low + high) >>> 1]!, values[high]!)
    let left = low
    let right = high
    while (left <= right) {
      while (values[left]! < pivot) left++
      while (values[right]! > pivot) right--
      if (left > right) break
      const moved = values[left]!
      values[left++] = values[right]!
      values[right--] = moved
    }
    if (rank <= right) high = right
    else if (rank >= left) low = left
    else break
  }
  return values[rank]!
}

const medianOfThree = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))

export interface Bar {
  readonly from: number
  readonly to: number
  readonly count: number
}

/** Bars of equal width from the smallest to the largest value; one bar of width 1 when all values are equal. */
export function histogramOf(sorted: Float64Array, barsMax: number): Bar[] {
  const [min, max] = [sorted[0]!, sorted.at(-1)!]
  if (min === max) return [{ from: min, to: min + 1, count: sorted.length }]
  const width = (max - min) / barsMax
  const edges = Array.from({ length: barsMax + 1 }, (_, bar) => (bar === barsMax ? max : min + bar * width))
  let begin = 0
  return edges.slice(1).map((to, bar) => {
    const isLast = bar === barsMax - 1
    const after = isLast ? -1 : sorted.subarray(begin).findIndex((value) => value >= to)
    const end = after === -1 ? sorted.length : begin + after
    const count = end - begin
    begin = end
    return { from: edges[bar]!, to, count }
  })
}
