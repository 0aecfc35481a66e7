import type { ServerResponse } from 'node:http'

/**
 * Ends the exchange with `value` as JSON.
 *
 * The body is sent as bytes. Node joins a body that is a string to the headers first: a copy, and when one header was cut out of a
 * text with characters beyond Latin-1 (as values of the OpenAPI document are), all of it is encoded anew at a third of the speed.
 * Measured on a page of 150 KB: 550 us of CPU against 770.
 */
export function sendJson(
  res: ServerResponse,
  status: number,
  mediaType: string,
  headers: Readonly<Record<string, string | number>>,
  value: unknown,
): void {
  const bytes = Buffer.from(JSON.stringify(value))
  res.writeHead(status, {
    ...headers,
    'Content-Type': mediaType,
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
  })
  res.end(bytes)
}
