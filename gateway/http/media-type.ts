import type { Request } from 'express'
import { LRUCache } from 'lru-cache'

export type MediaType =
  'application/json; charset=utf-8' | 'application/graphql-response+json; charset=utf-8' | 'text/event-stream'

export const jsonType: MediaType = 'application/json; charset=utf-8'
export const streamType = 'text/event-stream' satisfies MediaType
// The first type is chosen if the client accepts several equally.
const offered: MediaType[] = [jsonType, 'application/graphql-response+json; charset=utf-8', streamType]

const chosen = new LRUCache<string, MediaType | 'none'>({ max: 200 })

/** The media type of the answer, from the Accept header; null if the header accepts none of them. */
export function mediaTypeOf(req: Request): MediaType | null {
  const { accept } = req.headers
  if (accept === undefined || accept === '' || accept === '*/*') return jsonType
  let known = chosen.get(accept)
  if (known === undefined) {
    known = (req.accepts(offered) || 'none') as MediaType | 'none'
    chosen.set(accept, known)
  }
  return known === 'none' ? null : known
}
