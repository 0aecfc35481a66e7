import { Router } from 'express'

/** Why this process cannot serve, by what it needs; empty when it can. */
export type Readiness = () => Promise<Readonly<Record<string, string>>>

/**
 * `live`: the process answers; it ends by itself when the embedded database cannot be started again. `ready`: the database is reachable, up to date and, where the process loads it, has its demo, so
 * that requests will be answered.
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
