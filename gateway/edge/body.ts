import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { ownEventLoopTurn } from '../../subgraphs/kernel/work/turn.ts'
import { usualLimits } from '../../subgraphs/kernel/operation-limits.ts'
import { hasTooManyValues, membersMax, valuesMax } from './count-values.ts'
import { inexactMax, parseJsonExactly, TooManyInexact } from '../../subgraphs/kernel/json/exact-json.ts'

export const bodyBytesMax = usualLimits.bodyBytes

/** Bytes of a body that may contain so many values that parsing and checking them blocks the event loop for some milliseconds. */
const manyValuesFrom = 16_384

const empty = Buffer.alloc(0)

/**
 * Reads the raw body. A body that is too large is refused as soon as this is known; the rest of it is discarded. A body that may take
 * long to parse waits for an iteration of the event loop of its own, in turn with those of other organizations.
 */
export function readBody(req: IncomingMessage, organizationId = '', bytesMax = bodyBytesMax): Promise<Buffer> {
  const length = Number(req.headers['content-length'] ?? 0)
  if (length > bytesMax) return Promise.reject(tooLarge(req, bytesMax))
  if (length === 0 && req.headers['transfer-encoding'] === undefined) return Promise.resolve(empty)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bytesMax) chunks.push(chunk)
      else reject(tooLarge(req, bytesMax))
    })
    req.on('end', () => {
      const body = (): Buffer => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      if (bytes < manyValuesFrom) resolve(body())
      else void ownEventLoopTurn(organizationId).then(() => resolve(body()))
    })
    const endedEarly = (): void =>
      reject(unreadable('The connection closed before the whole body arrived; send the request again.'))
    if (req.destroyed) endedEarly()
    else req.on('error', endedEarly)
  })
}

const unreadable = (message: string): Refusal =>
  new Refusal('INVALID_JSON', message, { errors: [{ path: 'body', code: 'INVALID_JSON', message }] })

function tooLarge(req: IncomingMessage, bytesMax: number): Refusal {
  req.removeAllListeners('data').resume()
  return new Refusal('PAYLOAD_TOO_LARGE', `The body must have at most ${bytesMax} bytes.`)
}

const plainJson = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
const suffixedJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/**
 * Throws a `Refusal` unless Content-Type is JSON; `+json` types are accepted only with `suffixed`. A page of another origin
 * cannot send such a type without a CORS preflight, so this check also protects against cross-site request forgery (CSRF).
 */
export function refuseOtherThanJson(headers: IncomingHttpHeaders, { suffixed = false } = {}): void {
  if (!(suffixed ? suffixedJson : plainJson).test(headers['content-type'] ?? '')) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8; send Content-Type: application/json.')
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed; send it without Content-Encoding.')
  }
}

/** Parses a JSON body. If a key occurs twice, the last value is used. Numbers keep every digit. */
export function parseBody(raw: Buffer): unknown {
  if (!isUtf8(raw)) throw unreadable('The body must be UTF-8.')
  if (hasTooManyValues(raw))
    throw new Refusal('PAYLOAD_TOO_LARGE', `The body must have at most ${valuesMax} values and ${membersMax} members.`)
  try {
    return parseJsonExactly(raw.toString('utf8'), inexactMax)
  } catch (thrown) {
    if (thrown instanceof TooManyInexact) {
      const message = `The body must have at most ${inexactMax} numbers that double precision would round.`
      throw new Refusal('PAYLOAD_TOO_LARGE', message)
    }
    throw unreadable('The body must be valid JSON.')
  }
}
