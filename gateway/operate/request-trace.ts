import type { ServerResponse } from 'node:http'
import type { Request } from 'express'
import type { Tracing } from '../../subgraphs/kernel/tracing/tracing.ts'
import type { Exchange } from '../edge/exchange.ts'

/** Runs the rest of a request in a span, which continues the trace of its `traceparent` header. The path and the query string are no part of it, because they may contain data of customers. */
export function traceRequest(
  tracing: Tracing,
  req: Request,
  res: ServerResponse,
  exchange: Exchange,
  next: () => void,
): void {
  const { method, headers } = req
  const span = tracing.begin(method, {
    kind: 'SERVER',
    attributes: { 'http.request.method': method },
    traceparent: typeof headers['traceparent'] === 'string' ? headers['traceparent'] : null,
  })
  res.once('close', () => {
    const { operation, operationName, code, caller } = exchange
    span.setName(`${method} ${operation}`)
    span.set({
      'http.response.status_code': res.statusCode,
      'crm.operation': operation,
      'graphql.operation.name': operationName ?? undefined,
      'crm.code': code ?? undefined,
      'crm.organization': caller?.organizationId || undefined,
      'crm.credential': caller?.credentialId || undefined,
      'crm.request_id': String(res.getHeader('X-Request-Id') ?? ''),
    })
    span.end(res.statusCode >= 500 ? { code: code ?? 'INTERNAL' } : undefined)
  })
  span.run(next)
}
