import type { IncomingMessage } from 'node:http'
import { queryPairs } from './query.ts'

/**
 * Makes the API key in the query the credential of the request, in place of all headers with credentials. The key is then masked in the
 * address, so that no log, error or fingerprint contains it.
 */
export function takeKeyFromQuery(req: IncomingMessage, name: string): void {
  const { headers } = req
  delete headers.authorization
  delete headers.cookie
  delete headers['x-api-key']
  const [path = '', query = ''] = req.url!.split(/\?(.*)/s, 2)
  const first = queryPairs(req.url!).find(([parameter]) => parameter === name)
  if (first) headers['x-api-key'] = first[1]
  const masked = query.split('&').map((part) => (isNamed(part, name) ? `${name}=***` : part))
  req.url = query === '' ? path : `${path}?${masked.join('&')}`
}

function isNamed(part: string, name: string): boolean {
  const [given = ''] = part.split('=', 1)
  return queryPairs(`?${given}`).some(([parameter]) => parameter === name)
}
