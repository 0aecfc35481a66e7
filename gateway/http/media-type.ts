import accepts from 'accepts'
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'

export type MediaType =
  | 'application/json; charset=utf-8'
  | 'application/graphql-response+json; charset=utf-8'
  | 'text/event-stream'
  | 'multipart/mixed; subscriptionSpec=1.0'

export const jsonType: MediaType = 'application/json; charset=utf-8'
export const streamType = 'text/event-stream' satisfies MediaType
export const multipartType = 'multipart/mixed; subscriptionSpec=1.0' satisfies MediaType
const responseType = 'application/graphql-response+json; charset=utf-8' satisfies MediaType
// The first type is chosen if the client accepts several equally.
const offered: MediaType[] = [jsonType, responseType, streamType]

const chosen = new LRUCache<string, MediaType | 'none'>({ max: 200 })

/** Only clients that send a subscription name this version of the protocol, so it is chosen before the types that they accept for errors. */
function acceptsMultipart(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.replaceAll(/[\s"]/g, '').toLowerCase())
    return type === 'multipart/mixed' && parameters.includes('subscriptionspec=1.0') && !parameters.includes('q=0')
  })
}

/** The media type of the answer, from the Accept header; null if the header accepts none of them. */
export function mediaTypeOf(req: IncomingMessage): MediaType | null {
  const { accept } = req.headers
  if (accept === undefined || accept === '' || accept === '*/*') return jsonType
  let known = chosen.get(accept)
  if (known === undefined) {
    known = acceptsMultipart(accept) ? multipartType : ((accepts(req).types(offered) || 'none') as MediaType | 'none')
    chosen.set(accept, known)
  }
  return known === 'none' ? null : known
}

/** The type of an answer that is no stream, for a client that asked for one. */
export const singleTypeOf = (req: IncomingMessage): MediaType =>
  (accepts(req).types([responseType, jsonType]) || jsonType) as MediaType
