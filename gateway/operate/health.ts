import { Router } from 'express'

/** The reasons why this process cannot serve, by dependency; empty if it can. */
export type Readiness = () => Promise<Readonly<Record<string, string>>>

/**
 * `live`: the process answers; the process exits when the embedded database cannot be restarted. `ready`: the database is reachable
 * and migrated and, if this process loads the demo data, has it, so requests will be answered.
 */
export function healthRouter(readiness: Readiness): Router {
  const router = Router()
  router.get('/health/live', (_req, res) => void res.json({ status: 'live' }))
  router.get('/health/ready', async (_req, res) => {
    const reasons = await readiness()
    const ready = Object.keys(reasons).length === 0
    res.status(ready ? 200 : 503).json(ready ? { status: 'ready' } : { status: 'not ready', reasons })
  })
  return router
}
