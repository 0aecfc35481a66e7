/** After its deadline, an attempt has this time to end by its own rules. Then its slot is given back whatever it does. */
export const graceMs = 5_000

export class DeadlinePassed extends Error {
  constructor(ms: number) {
    super(`The attempt did not end within ${ms / 1000} s.`)
  }
}

/** The value of `work`; rejects with the reason of the signal when it aborts first, whether or not `work` ever ends. */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const abort = (): void => reject(signal.reason as Error)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  return promise
}

/** Runs `work`, whose signal aborts after `ms`. It rejects at the latest `graceMs` after that. */
export async function withDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController()
  const end = new AbortController()
  const timers = [
    setTimeout(() => deadline.abort(new DeadlinePassed(ms)), ms),
    setTimeout(() => end.abort(new DeadlinePassed(ms)), ms + Math.min(ms, graceMs)),
  ]
  try {
    return await untilAborted(end.signal, work(deadline.signal))
  } finally {
    for (const timer of timers) clearTimeout(timer)
  }
}
