/** The reasons why this process cannot serve, by dependency; empty if it can. */
export type Readiness = () => Promise<Readonly<Record<string, string>>>

export interface HealthAnswer {
  readonly status: 200 | 503
  readonly body: object
}

/** The process answers; it exits when the embedded database cannot be restarted. */
export const live: HealthAnswer = { status: 200, body: { status: 'live' } }

/** Ready: the database is reachable and migrated and, if this process loads the demo data, has it, so work will be done. */
export async function readyOrNot(readiness: Readiness): Promise<HealthAnswer> {
  const reasons = await readiness()
  const isReady = Object.keys(reasons).length === 0
  return isReady ? { status: 200, body: { status: 'ready' } } : { status: 503, body: { status: 'not ready', reasons } }
}
