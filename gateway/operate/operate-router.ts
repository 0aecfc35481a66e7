import { Router } from 'express'
import type { ProcessMetrics } from '../../subgraphs/kernel/operate/process-metrics.ts'
import { live, readyOrNot, type Readiness } from '../../subgraphs/kernel/operate/readiness.ts'

/** The health checks on the public port, and the metrics unless they have a private port. */
export function operateRouter(
  readiness: Readiness,
  metrics: Pick<ProcessMetrics, 'text' | 'contentType'> | null,
): Router {
  const router = Router()
  router.get('/health/live', (_req, res) => void res.status(live.status).json(live.body))
  router.get('/health/ready', async (_req, res) => {
    const { status, body } = await readyOrNot(readiness)
    res.status(status).json(body)
  })
  if (metrics)
    router.get('/metrics', async (_req, res) => void res.type(metrics.contentType).send(await metrics.text()))
  return router
}
