import { setTimeout } from 'node:timers/promises'

/** Waits; a signal ends it early with an AbortError. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, signal ? { signal } : {})
