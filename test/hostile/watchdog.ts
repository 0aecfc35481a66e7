import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A record of a tenant that is not the attacker, and how to read it. */
export interface WatchedRequest {
  /** URL of the record, for example `http://127.0.0.1:4000/v1/accounts/<id>`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Each read uses another client address, so that the limits per address do not apply. */
  readonly fromManyAddresses?: boolean
}

export interface Waits {
  readonly count: number
  /** Responses with a status other than 200, and requests without a response. */
  readonly failed: number
  readonly medianMs: number
  readonly longestMs: number
}

export interface Watch {
  stop(): Promise<Waits>
}

const everyMs = 10
/** Number of runs. Other work on the machine does not disturb every one of them. */
const runsMax = 3

/** Reads one record at a steady rate in a separate thread, so that the work of the test does not delay it. */
export async function watch(watchedRequest: WatchedRequest): Promise<Watch> {
  const file = new URL('./watchdog-thread.ts', import.meta.url)
  const worker = new Worker(file, { workerData: { ...watchedRequest, everyMs }, execArgv: [] })
  await once(worker, 'message')
  return {
    async stop() {
      worker.postMessage('stop')
      const [{ waits, failed }] = (await once(worker, 'message')) as [{ waits: number[]; failed: number }]
      await worker.terminate()
      const inOrder = waits.toSorted((a, b) => a - b)
      const medianMs = inOrder[Math.floor(inOrder.length / 2)] ?? 0
      return { count: waits.length, failed, medianMs, longestMs: inOrder.at(-1) ?? 0 }
    },
  }
}

export interface WaitsWithLimit extends Waits {
  /** The allowed wait, or more if the machine itself pauses longer without an attack. */
  readonly allowedMs: number
}

/**
 * The longest wait of the watched tenant while `attack` ran. If it exceeds `allowedMs`, the attack runs again, because the machine
 * may have paused; a delay caused by the platform repeats. Each of these runs is compared with the same time without an attack,
 * because on a busy machine a wait may be three times as long.
 */
export async function longestWaitDuring(
  watchedRequest: WatchedRequest,
  attack: () => Promise<unknown>,
  allowedMs: number,
): Promise<WaitsWithLimit> {
  const waitsDuring = async (run: () => Promise<unknown>): Promise<Waits> => {
    const watching = await watch(watchedRequest)
    await run()
    return watching.stop()
  }
  let least: WaitsWithLimit | undefined
  for (let run = 0; run < runsMax; run++) {
    const began = performance.now()
    const waits = await waitsDuring(attack)
    if (waits.failed > 0 || waits.longestMs <= allowedMs) return { ...waits, allowedMs }
    const quiet = await waitsDuring(() => delay(performance.now() - began))
    const result = { ...waits, allowedMs: Math.max(allowedMs, 3 * quiet.longestMs) }
    if (result.longestMs <= result.allowedMs) return result
    if (!least || result.longestMs < least.longestMs) least = result
  }
  return least!
}
