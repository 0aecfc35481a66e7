import { setImmediate } from 'node:timers'
import { RoundRobinQueue } from './round-robin-queue.ts'

/** Bytes or characters. Smaller values block the event loop for less than one or two milliseconds. */
export const largeFrom = 262_144

interface WaitingTurn {
  readonly organizationId: string
  readonly begin: () => void
}

const waiting = new RoundRobinQueue<WaitingTurn>({ waitingMax: Infinity, waitingPerOrganizationMax: Infinity })
let isScheduled = false

function schedule(): void {
  isScheduled = true
  setImmediate(() => {
    waiting.take(() => true)!.begin()
    if (waiting.size > 0) schedule()
    else isScheduled = false
  })
}

/**
 * Waits for an iteration of the event loop in which no other caller of this function runs. Work on a large value then blocks one
 * iteration only, and other requests run between two such pieces of work instead of waiting for all of them. Organizations get such
 * iterations in turn; work of which the organization is not known, such as reading rows, counts as that of one more.
 */
export function ownEventLoopTurn(organizationId = ''): Promise<void> {
  return new Promise((begin) => {
    waiting.add({ organizationId, begin })
    if (!isScheduled) schedule()
  })
}

/** The time that work in many small pieces may use in one iteration of the event loop. */
const turnMs = 10

/** When the work in small pieces of this iteration began; null if there was none yet. */
let beganMs: number | null = null

function beginTurn(): void {
  const ownMs = (beganMs = performance.now())
  setImmediate(() => {
    if (beganMs === ownMs) beganMs = null
  })
}

/**
 * Whether the work in small pieces, such as the conditions of subscriptions, has used up its time in this iteration of the event loop. All
 * callers share this time, of which work in the background uses less. They call this between two pieces, and await `nextTurn` when it is true.
 */
export function isTurnOver(ownMs = turnMs): boolean {
  if (beganMs !== null) return performance.now() - beganMs >= ownMs
  beginTurn()
  return false
}

/** Waits for the caller's own iteration of the event loop, in which it has the time of a turn. */
export async function nextTurn(organizationId?: string): Promise<void> {
  await ownEventLoopTurn(organizationId)
  beginTurn()
}
