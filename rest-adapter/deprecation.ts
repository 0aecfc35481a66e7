import type { ServerResponse } from 'node:http'
import type { Counted } from '../subgraphs/kernel/credentials/public.ts'
import { Refusal } from '../subgraphs/kernel/errors.ts'
import type { RestOperation } from './rest-operation.ts'
import type { OperationObject } from './openapi.ts'
import type { DeprecatedCalls } from './ports.ts'
import type { Sunset } from './rest-operation.ts'

function midnight(operation: OperationObject, name: 'x-deprecated-at' | 'x-sunset'): number {
  const day = operation[name]
  const time = Date.parse(`${day}T00:00:00Z`)
  if (!day || Number.isNaN(time))
    throw new Error(`${operation.operationId} is deprecated, so ${name} must be a day: YYYY-MM-DD.`)
  return time
}

/** The headers that announce the sunset of an operation (RFC 9745, RFC 8594), from its OpenAPI description. */
export function sunsetOf(operation: OperationObject): Sunset {
  const since = midnight(operation, 'x-deprecated-at')
  const endsAt = midnight(operation, 'x-sunset')
  const successor = operation['x-successor']
  const links = ['</docs>; rel="deprecation"; type="text/html"']
  if (successor) links.push(`<${successor}>; rel="successor-version"`)
  return {
    endsAt,
    headers: {
      Deprecation: `@${since / 1000}`,
      Sunset: new Date(endsAt).toUTCString(),
      Link: links.join(', '),
    },
  }
}

type PathValues = Readonly<Record<string, string | string[] | undefined>>

/** Replaces the placeholders of a path template by the path parameters of the request. */
const withPathValues = (template: string, path: PathValues): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])))

/** Announces the sunset of an operation in the headers of every response, including refusals. */
export function setSunsetHeaders({ headers }: Sunset, path: PathValues, res: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, withPathValues(value, path))
}

/** Records the call of a deprecated operation. */
export function recordDeprecatedCall(
  operation: Pick<RestOperation, 'id' | 'method' | 'path'>,
  sunset: Sunset,
  counted: Counted | null,
  now: Date,
  calls: DeprecatedCalls,
): void {
  if (counted) {
    const operationId = operation.id
    const endpoint = `${operation.method.toUpperCase()} ${operation.path}`
    calls.record({ counted, operationId, endpoint, sunset: new Date(sunset.endsAt), at: now })
  }
}

/** Refuses a call after the sunset. */
export function refuseEnded(sunset: Sunset, now: Date): void {
  if (now.getTime() >= sunset.endsAt) {
    throw new Refusal(
      'ENDPOINT_SUNSET',
      'This endpoint was removed at its sunset; use the successor in the Link header.',
    )
  }
}
