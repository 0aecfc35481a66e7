import type { IncomingMessage } from 'node:http'
import type { Arrival } from '../edge/address.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * A websocket's request as the edge judges it: with the credential of `connection_init` (`X-API-Key`, `apiKey` or
 * `Authorization`, in any case), or else with that of the upgrade's headers. Null without any. What is given and is not text
 * counts as a wrong credential, never as none.
 */
export function arrivalOf(
  request: IncomingMessage,
  parameters: Readonly<Record<string, unknown>> = {},
): Arrival | null {
  const { 'x-api-key': headerKey, authorization: headerAuthorization, ...headers } = request.headers
  const keys: string[] = []
  let authorization: string | undefined
  for (const [name, value] of Object.entries(parameters)) {
    const known = name.toLowerCase()
    if (known === 'x-api-key' || known === 'apikey') keys.push(text(value))
    if (known === 'authorization') authorization = text(value)
  }
  // The address is kept: a closed socket forgets it.
  const arrival = { socket: { remoteAddress: request.socket.remoteAddress }, url: request.url }
  const [key, other = key] = keys
  if (other !== key) authorization = `ApiKey ${other}`
  if (key !== undefined || authorization !== undefined) {
    return {
      ...arrival,
      headers: {
        ...headers,
        ...(key !== undefined && { 'x-api-key': key }),
        ...(authorization !== undefined && { authorization }),
      },
    }
  }
  return headerKey === undefined && headerAuthorization === undefined ? null : { ...arrival, headers: request.headers }
}
