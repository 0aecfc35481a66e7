import type { Context, Span } from '@opentelemetry/api'
import type { Logger } from 'pino'
import type { TracingProtocol } from '../config/tracing.ts'
import { releaseVersion } from '../config/paths.ts'
import type { OpenSpan, SpanAttributes, SpanKind, Tracing } from './tracing.ts'

const flushWithinMs = 3_000
const warnEveryMs = 60_000

/** Traces that are sent to the receiver of the standard `OTEL_*` variables. */
export interface OtlpTracing extends Tracing {
  /** Sends the spans that have ended. */
  close(): Promise<void>
}

const exporters = {
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
} as const satisfies Record<TracingProtocol, unknown>

/** Loads the SDK of OpenTelemetry, which other processes do not need, and starts it. It reads its own variables. */
export async function startOtlpTracing(protocol: TracingProtocol, log: Pick<Logger, 'warn'>): Promise<OtlpTracing> {
  const [api, sdk, contexts, core, resources, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    exporters[protocol](),
  ])
  let warnedAt = -Infinity
  core.setGlobalErrorHandler((error) => {
    if (performance.now() - warnedAt < warnEveryMs) return
    warnedAt = performance.now()
    log.warn({ reason: typeof error === 'string' ? error : error.message }, 'traces could not be sent')
  })
  const named = resources.resourceFromAttributes({
    'service.name': 'crm-platform-api',
    'service.version': releaseVersion,
  })
  const provider = new sdk.BasicTracerProvider({
    resource: named.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  })
  const tracer = provider.getTracer('crm-platform-api', releaseVersion)
  const manager = new contexts.AsyncLocalStorageContextManager().enable()
  const propagator = new core.W3CTraceContextPropagator()
  const kinds = api.SpanKind satisfies Record<SpanKind, number>

  const parentOf = (traceparent: string | null | undefined): Context =>
    traceparent ? propagator.extract(api.ROOT_CONTEXT, { traceparent }, api.defaultTextMapGetter) : manager.active()

  const openSpan = (span: Span, within: Context): OpenSpan => ({
    run: (work) => manager.with(within, work),
    setName: (name) => void span.updateName(name),
    set: (attributes: SpanAttributes) => void span.setAttributes(attributes),
    end(error) {
      if (error !== undefined) {
        const { name = 'Error', code } = error as { name?: string; code?: unknown }
        span.setAttribute('error.type', typeof code === 'string' ? code : name)
        span.setStatus({ code: api.SpanStatusCode.ERROR })
      }
      span.end()
    },
  })

  return {
    begin(name, { kind = 'INTERNAL', attributes = {}, traceparent } = {}) {
      const parent = parentOf(traceparent)
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent)
      return openSpan(span, api.trace.setSpan(parent, span))
    },
    isInSpan: () => api.trace.getSpan(manager.active()) !== undefined,
    traceparent() {
      const carrier: { traceparent?: string } = {}
      propagator.inject(manager.active(), carrier, api.defaultTextMapSetter)
      return carrier.traceparent ?? null
    },
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, flushWithinMs).unref())
      await Promise.race([provider.shutdown().catch(() => {}), late])
      manager.disable()
    },
  }
}
