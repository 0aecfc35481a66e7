import type { RequestHandler } from 'express'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What Prometheus reads at `/metrics`. */
export class Metrics {
  readonly registry = new Registry()
  readonly #duration: Histogram<'surface' | 'status'>

  constructor(pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number }) {
    collectDefaultMetrics({ register: this.registry })
    this.#duration = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last of its answer.',
      labelNames: ['surface', 'status'],
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [this.registry],
    })
    new Gauge({
      name: 'database_connections',
      help: 'Connections to PostgreSQL by state; waiting counts requests without one.',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
        this.set({ state: 'idle' }, pool.idleCount)
        this.set({ state: 'waiting' }, pool.waitingCount)
      },
    })
  }

  readonly observe: RequestHandler = (req, res, next) => {
    const started = performance.now()
    res.once('close', () => {
      const surface = req.originalUrl.includes('graphql')
        ? 'graphql'
        : req.originalUrl.startsWith('/v1')
          ? 'rest'
          : 'other'
      this.#duration.labels(surface, String(res.statusCode)).observe((performance.now() - started) / 1000)
    })
    next()
  }

  readonly serve: RequestHandler = (_req, res, next) => {
    this.registry.metrics().then((text) => res.type(this.registry.contentType).send(text), next)
  }
}
