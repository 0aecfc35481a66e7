import type { IncomingHttpHeaders } from 'node:http'

export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * The part of a file that a client asks for (RFC 9110, 14.2). Null: the whole file, also for several parts, another unit, a malformed header,
 * and a file that has changed since (`If-Range`).
 */
export function byteRange(headers: IncomingHttpHeaders, bytes: number, etag: string): Range | 'UNSATISFIABLE' | null {
  const condition = headers['if-range']
  if (condition !== undefined && condition !== etag) return null
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '')
  if (!match || match[0] === 'bytes=-') return null
  const [, first, last] = match as unknown as [string, string, string]
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'UNSATISFIABLE' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(first)
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= bytes ? 'UNSATISFIABLE' : { start, end }
}
