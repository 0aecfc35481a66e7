import type { ServerResponse } from 'node:http'
import type { Request, RequestHandler } from 'express'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { MetricBatch } from '../../subgraphs/kernel/operate/metric-batch.ts'
import { activeTracing } from '../../subgraphs/kernel/tracing/tracing.ts'
import { requestBegan } from '../../subgraphs/kernel/work/background-turn.ts'
import { beginExchange, type Exchange } from '../edge/exchange.ts'
import { statusSent } from '../edge/usage.ts'
import { unsent } from '../edge/unsent.ts'
import { traceRequest } from './request-trace.ts'
import type { RequestLine, WriteRequestLine } from './request-line.ts'

type Surface = 'graphql' | 'rest' | 'oauth' | 'scim' | 'other'

function surfaceOf(url: string): Surface {
  if (/^(?:\/v1)?\/graphql(?![^/?])/.test(url)) return 'graphql'
  if (!url.startsWith('/v1/')) return 'other'
  if (url.startsWith('/v1/oauth/')) return 'oauth'
  return url.startsWith('/v1/scim/') ? 'scim' : 'rest'
}

/** A path outside of /v1 has an operation only if it is an alias of a path of REST. */
const surfaceServed = (surface: Surface, operation: string): Surface =>
  surface === 'other' && operation !== 'other' ? 'rest' : surface

const isEventStream = (res: ServerResponse): boolean =>
  String(res.getHeader('Content-Type') ?? '').startsWith('text/event-stream')

/** One operation on a websocket, which has no response of its own. */
export type SocketOperation = Omit<RequestLine, 'method'>

interface Answered extends Pick<RequestLine, 'operation' | 'status' | 'code' | 'durationMs'> {
  /** Null if the duration is not measured. */
  readonly surface: Surface | null
}

/** Measures every request and writes its log line. */
export class RequestMetrics {
  readonly #answered: MetricBatch<Answered>
  readonly #write: WriteRequestLine | null

  constructor(registry: Registry, streams: { readonly count: number }, write: WriteRequestLine | null) {
    this.#write = write
    const registers = [registry]
    const collect = (): void => this.#answered.flush()
    const requests = new Counter({
      name: 'crm_requests_total',
      help: 'Answered requests and operations on websockets, by operation, HTTP status and first error code.',
      labelNames: ['operation', 'status', 'code'],
      registers,
      collect,
    })
    const duration = new Histogram({
      name: 'crm_http_request_duration_seconds',
      help: 'Seconds from the first byte of a request to the last byte of its response; without event streams.',
      labelNames: ['surface', 'status'],
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
      collect,
    })
    this.#answered = new MetricBatch(({ operation, status, code, surface, durationMs }) => {
      requests.inc({ operation, status, code: code ?? '' })
      if (surface !== null) duration.observe({ surface, status }, durationMs / 1000)
    })
    new Gauge({
      name: 'crm_http_unsent_bytes',
      help: 'Bytes of large responses that clients have not read yet.',
      registers,
      collect() {
        this.set(unsent.bytes)
      },
    })
    new Gauge({
      name: 'crm_live_streams',
      help: 'Live streams: subscriptions on websockets, and event streams over HTTP.',
      registers,
      collect() {
        this.set(streams.count)
      },
    })
  }

  /** Call it for every request before it is routed. */
  readonly observe: RequestHandler = (req, res, next) => {
    const exchange = this.#begin(req, res)
    const tracing = activeTracing()
    if (tracing) traceRequest(tracing, req, res, exchange, next)
    else next()
  }

  #begin(req: Request, res: ServerResponse): Exchange {
    const surface = surfaceOf(req.originalUrl)
    const exchange = beginExchange(res, surface === 'rest' ? 'unknown' : surface)
    const startedMs = performance.now()
    const endRequest = requestBegan(res)
    res.once('close', () => {
      endRequest()
      const durationMs = performance.now() - startedMs
      const status = statusSent(res)
      const { operation, operationName, code, caller } = exchange
      // The client of an event stream decides how long it is open.
      this.#answered.add({
        operation,
        status,
        code,
        surface: isEventStream(res) ? null : surfaceServed(surface, operation),
        durationMs,
      })
      this.#write?.({
        id: String(res.getHeader('X-Request-Id') ?? ''),
        method: req.method!,
        operation,
        operationName,
        status,
        code,
        durationMs,
        organizationId: caller?.organizationId ?? '',
        credentialId: caller?.credentialId ?? '',
      })
    })
    return exchange
  }

  readonly socketOperation = (operation: SocketOperation): void => {
    this.#answered.add({ ...operation, surface: null })
    this.#write?.({ ...operation, method: 'WEBSOCKET' })
  }
}
