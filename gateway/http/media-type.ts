import type { Request } from 'express'
import { LRUCache } from 'lru-cache'

export type MediaType = 'application/json; charset=utf-8' | 'application/graphql-response+json; charset=utf-8'

export const jsonType: MediaType = 'application/json; charset=utf-8'
// The first type is chosen if the client accepts both equally.
const offered: MediaType[] = [jsonType, 'application/graphql-response+json; charset=utf-8']

const chosen = new LRUCache<string, MediaType | 'none'>({ max: 200 })

/** The media type of the answer, from the Accept header; null if the header accepts neither. */
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
