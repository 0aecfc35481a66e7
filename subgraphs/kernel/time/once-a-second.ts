const intervalMs = 1_000

/** Wraps `ask` so that it starts at most once a second and never runs concurrently. All other calls get the latest result. */
export function onceASecond<T>(ask: () => Promise<T>, now: () => number = () => performance.now()): () => Promise<T> {
  let answer: Promise<T> | undefined
  let askedAt = -Infinity
  let isAsking = false
  return () => {
    if (answer && (isAsking || now() - askedAt < intervalMs)) return answer
    askedAt = now()
    isAsking = true
    answer = ask().finally(() => (isAsking = false))
    return answer
  }
}
