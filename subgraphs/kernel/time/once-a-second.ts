const restMs = 1_000

/** Wraps `ask` so that it runs at most once a second and never concurrently. All other calls get the latest answer. */
export function onceASecond<T>(ask: () => Promise<T>, now: () => number = () => performance.now()): () => Promise<T> {
  let answer: Promise<T> | undefined
  let askedAt = -Infinity
  let isAsking = false
  return () => {
    if (answer && (isAsking || now() - askedAt < restMs)) return answer
    askedAt = now()
    isAsking = true
    answer = ask().finally(() => (isAsking = false))
    return answer
  }
}
