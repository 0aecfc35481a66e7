import type { Caller } from '../context.ts'
import { Refusal } from '../errors.ts'

/** How many automations may start one another: a change at this depth starts no further one. */
export const depthMax = 5

/** Carries the depth of what a request starts: one more than that of the automation that sends it. Clients send 0 or nothing. */
export const depthHeader = 'x-service-function-depth'

/** The depth of an automation that the caller starts by a request: 0 for one that a client starts. */
export const depthStartedBy = ({ depth }: Pick<Caller, 'depth'>): number => (depth === undefined ? 0 : depth + 1)

/** The depth of an automation that a signed request starts: 1, or deeper if an automation has sent the request. Refuses what only loops reach. */
export function depthOfSigned(caller: Pick<Caller, 'depth'>): number {
  const depth = Math.max(1, depthStartedBy(caller))
  requireDepth(depth)
  return depth
}

/** Refuses to start an automation at a depth that loops only reach. */
export function requireDepth(depth: number): void {
  if (depth <= depthMax) return
  const message = `At most ${depthMax} automations may start one another; this would be number ${depth}.`
  throw new Refusal('DEPTH_EXCEEDED', message)
}
