/** The values that a span may carry. They must contain no data of customers and no secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A unit of work that has begun. */
export interface OpenSpan {
  /** Runs `work` as a part of this span. */
  run<T>(work: () => T): T
  setName(name: string): void
  set(attributes: SpanAttributes): void
  /** `error`: the work has failed. */
  end(error?: unknown): void
}

export type SpanKind = 'INTERNAL' | 'SERVER' | 'CLIENT' | 'CONSUMER'

export interface SpanOptions {
  readonly kind?: SpanKind
  readonly attributes?: SpanAttributes
  /** The W3C `traceparent` that the span continues; without it, the span is a part of the running one. */
  readonly traceparent?: string | null
}

/** Records what a process does as spans of traces. */
export interface Tracing {
  begin(name: string, options?: SpanOptions): OpenSpan
  /** Whether a span is running. */
  isInSpan(): boolean
  /** The W3C `traceparent` of the running span; null outside of spans. */
  traceparent(): string | null
}

let current: Tracing | null = null

/** Null unless traces are sent. Hot code asks this first, so that it costs nothing without tracing. */
export const activeTracing = (): Tracing | null => current

export const setTracing = (tracing: Tracing | null): void => void (current = tracing)

/** Runs `work` in a span that ends with it, whether it returns a promise or a value. */
export function inSpan<T>(tracing: Tracing, name: string, options: SpanOptions, work: () => T): T {
  const span = tracing.begin(name, options)
  let result: T
  try {
    result = span.run(work)
  } catch (error) {
    span.end(error)
    throw error
  }
  if (!(result instanceof Promise)) {
    span.end()
    return result
  }
  return result.then(
    (value: unknown) => {
      span.end()
      return value
    },
    (error: unknown) => {
      span.end(error)
      throw error
    },
  ) as T
}

const statementMax = 2_000

/**
 * Runs one SQL statement in a span, the wait for a connection included. Statements contain parameters, not values. Polling, which
 * belongs to no request and no job, has no spans.
 */
export function inStatementSpan<T>(tracing: Tracing, text: string, work: () => T): T {
  if (!tracing.isInSpan()) return work()
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'SQL'
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, statementMax) }
  return inSpan(tracing, operation, { kind: 'CLIENT', attributes }, work)
}
