import type { RequestHandler } from 'express'
import { collectDefaultMetrics, Gauge, Histogram, register, Registry } from 'prom-client'

function surfaceOf(url: string): 'graphql' | 'rest' | 'other' {
  if (/^(?:\/v1)?\/graphql(?![^/?])/.test(url)) return 'graphql'
  return url.startsWith('/v1/') ? 'rest' : 'other'
}

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
      this.#duration
        .labels(surfaceOf(req.originalUrl), String(res.statusCode))
        .observe((performance.now() - started) / 1000)
    })
    next()
  }

  readonly serve: RequestHandler = (_req, res, next) => {
    // What counts for the whole process, whichever gateway asks, is in the registry of the package.
    const all = Registry.merge([register, this.registry])
    all.metrics().then((text) => res.type(all.contentType).send(text), next)
  }
}
