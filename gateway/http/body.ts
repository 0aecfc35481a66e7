import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import { Refusal } from '../../subgraphs/kernel/errors.ts'

export const bodyBytesMax = 1_048_576

/** The raw body. One that is too large is refused as soon as that is known; its rest is thrown away. */
export function readBody(req: IncomingMessage): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > bodyBytesMax) return Promise.reject(tooLarge(req))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) chunks.push(chunk)
      else reject(tooLarge(req))
    })
    req.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    const endedEarly = (): void => reject(new Refusal('INVALID_JSON', 'The body ended early.'))
    if (req.destroyed) endedEarly()
    else req.on('error', endedEarly)
  })
}

function tooLarge(req: IncomingMessage): Refusal {
  req.removeAllListeners('data').resume()
  return new Refusal('PAYLOAD_TOO_LARGE', `A body has at most ${bodyBytesMax} bytes.`)
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  try {
    const { essence, params } = new MIMEType(contentType ?? '')
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8'
  } catch {
    return false
  }
}

/**
 * Throws a `Refusal` for a body that does not call itself JSON. No page of another origin can send that type without being
 * asked for permission first, so it also stands against forged requests (CSRF).
 */
export function refuseOtherThanJson(headers: IncomingHttpHeaders): void {
  if (!isJson(headers['content-type'])) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8, sent as application/json.')
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.')
  }
}

export function parseBody(raw: Buffer): unknown {
  if (!isUtf8(raw)) throw new Refusal('INVALID_JSON', 'The body is not UTF-8.')
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch {
    throw new Refusal('INVALID_JSON', 'The body is not JSON.')
  }
}
