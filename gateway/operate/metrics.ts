import type { RequestHandler, Response } from 'express'
import { collectDefaultMetrics, Gauge, Histogram, register, Registry } from 'prom-client'
import { onceASecond } from '../../subgraphs/kernel/time/once-a-second.ts'
import { unsent } from '../edge/unsent.ts'

function surfaceOf(url: string): 'graphql' | 'rest' | 'other' {
  if (/^(?:\/v1)?\/graphql(?![^/?])/.test(url)) return 'graphql'
  return url.startsWith('/v1/') ? 'rest' : 'other'
}

const isEventStream = (res: Response): boolean =>
  String(res.getHeader('Content-Type') ?? '').startsWith('text/event-stream')

/** The metrics for Prometheus at `/metrics`, collected at most once a second. */
export class Metrics {
  readonly registry = new Registry()
  readonly #duration: Histogram<'surface' | 'status'>

  constructor(
    pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number },
    streams: { readonly count: number },
  ) {
    collectDefaultMetrics({ register: this.registry })
    this.#duration = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Seconds from the first byte of a request to the last byte of its response.',
      labelNames: ['surface', 'status'],
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [this.registry],
    })
    new Gauge({
      name: 'database_connections',
      help: 'Connections to PostgreSQL by state; waiting counts requests that wait for a connection.',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
        this.set({ state: 'idle' }, pool.idleCount)
        this.set({ state: 'waiting' }, pool.waitingCount)
      },
    })
    new Gauge({
      name: 'http_unsent_bytes',
      help: 'Bytes of large responses that clients have not read yet.',
      registers: [this.registry],
      collect() {
        this.set(unsent.bytes)
      },
    })
    new Gauge({
      name: 'live_streams',
      help: 'Live streams: subscriptions on websockets, and event streams over HTTP.',
      registers: [this.registry],
      collect() {
        this.set(streams.count)
      },
    })
  }

  /** Measures the duration of requests. Event streams are excluded, because their clients decide how long they are open. */
  readonly observe: RequestHandler = (req, res, next) => {
    const started = performance.now()
    res.once('close', () => {
      if (isEventStream(res)) return
      this.#duration
        .labels(surfaceOf(req.originalUrl), String(res.statusCode))
        .observe((performance.now() - started) / 1000)
    })
    next()
  }

  readonly serve: RequestHandler = (_req, res, next) => {
    this.#text().then((text) => res.type(this.registry.contentType).send(text), next)
  }

  // Metrics of the whole process, not of one gateway, are in the default registry of prom-client.
  readonly #text = onceASecond(() => Registry.merge([register, this.registry]).metrics())
}
