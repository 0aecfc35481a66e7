import type { IncomingMessage } from 'node:http'
import type { IncomingRequest } from '../edge/address.ts'
import { presentsKey } from '../edge/presented.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * The request that the edge checks for a websocket; null without a credential. The credential is chosen in this order:
 * - an API key of the upgrade headers, unless `connection_init` has another API key;
 * - `X-API-Key`, `apiKey` or `Authorization` of `connection_init`, in upper or lower case;
 * - `Authorization` of the upgrade headers;
 * - the session cookie, if `connection_init` has the CSRF token.
 *
 * A value that is not text counts as a wrong credential, not as a missing one.
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
    const lowerCase = name.toLowerCase()
    if (lowerCase === 'x-api-key' || lowerCase === 'apikey') keys.push(text(value))
    if (lowerCase === 'authorization') authorization = text(value)
    if (lowerCase === 'x-csrf-token' || lowerCase === 'csrftoken') csrfToken = text(value)
  }
  // The address is copied, because a closed socket no longer has it.
  const incoming = { socket: { remoteAddress: request.socket.remoteAddress }, url: request.url }
  const [key, other = key] = keys
  // Two different keys are sent to the edge in two headers, which refuses them as a conflict.
  if (other !== key) authorization = `ApiKey ${other}`
  const inPayload = {
    ...(key !== undefined && { 'x-api-key': key }),
    ...(authorization !== undefined && { authorization }),
  }
  if (presentsKey(request.headers) && !presentsKey(inPayload)) return { ...incoming, headers: request.headers }
  if (key !== undefined || authorization !== undefined) return { ...incoming, headers: { ...headers, ...inPayload } }
  // A page of another site can make a browser open a websocket with our cookies, but it cannot read the CSRF token.
  if (csrfToken !== undefined && headerKey === undefined && headerAuthorization === undefined) {
    return { ...incoming, headers: { ...headers, 'x-csrf-token': csrfToken } }
  }
  return headerKey === undefined && headerAuthorization === undefined ? null : { ...incoming, headers: request.headers }
}
