const restMs = 1_000

/** `ask` as it was answered last: it is asked at most once a second and never twice at a time, however many want to know. */
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
