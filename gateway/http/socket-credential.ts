import type { IncomingMessage } from 'node:http'
import type { IncomingRequest } from '../edge/address.ts'
import { presentsKey } from '../edge/presented.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * A websocket's request as the edge judges it: with the credential of `connection_init` (`X-API-Key`, `apiKey` or
 * `Authorization`, in any case), or else with that of the upgrade's headers, or its session cookie if `csrfToken` is given.
 * Null without any. A key of the upgrade decides alone unless `connection_init` presents another key. What is given and is
 * not text counts as a wrong credential, never as none.
 */
export function incomingRequestOf(
  request: IncomingMessage,
  parameters: Readonly<Record<string, unknown>> = {},
): IncomingRequest | null {
  const { 'x-api-key': headerKey, authorization: headerAuthorization, ...headers } = request.headers
  const keys: string[] = []
  let authorization: string | undefined
  let csrfToken: string | undefined
  for (const [name, value] of Object.entries(parameters)) {
    const known = name.toLowerCase()
    if (known === 'x-api-key' || known === 'apikey') keys.push(text(value))
    if (known === 'authorization') authorization = text(value)
    if (known === 'x-csrf-token' || known === 'csrftoken') csrfToken = text(value)
  }
  // The address is kept: a closed socket forgets it.
  const incoming = { socket: { remoteAddress: request.socket.remoteAddress }, url: request.url }
  const [key, other = key] = keys
  if (other !== key) authorization = `ApiKey ${other}`
  const told = {
    ...(key !== undefined && { 'x-api-key': key }),
    ...(authorization !== undefined && { authorization }),
  }
  if (presentsKey(request.headers) && !presentsKey(told)) return { ...incoming, headers: request.headers }
  if (key !== undefined || authorization !== undefined) return { ...incoming, headers: { ...headers, ...told } }
  // A page of another site can make a browser open a socket with our cookies, but it cannot read the token.
  if (csrfToken !== undefined && headerKey === undefined && headerAuthorization === undefined) {
    return { ...incoming, headers: { ...headers, 'x-csrf-token': csrfToken } }
  }
  return headerKey === undefined && headerAuthorization === undefined ? null : { ...incoming, headers: request.headers }
}
