/** Upper bounds of the buckets, in milliseconds (specification, Limits: between 10 ms and 10 s). Longer durations count in the last bucket. */
export const latencyBounds = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

const last = latencyBounds.length - 1

export function latencyBucketOf(durationMs: number): number {
  let bucket = 0
  while (bucket < last && durationMs > latencyBounds[bucket]!) bucket++
  return bucket
}

/** The upper bound of the bucket within which `percent` of the requests have ended; null without requests. */
export function percentile(counts: readonly number[], percent: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.ceil((total * percent) / 100)
  let seen = 0
  const bucket = counts.findIndex((count) => (seen += count) >= rank)
  return latencyBounds[bucket]!
}
