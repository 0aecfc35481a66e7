import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { IdempotencyClaim } from '../subgraphs/kernel/context.ts'
import { invalid } from '../subgraphs/kernel/errors.ts'

const keyCharactersMax = 255

/** The claim of an `Idempotency-Key`: what it is used for is told apart by method, path and raw body. */
export function claimOf(req: IncomingMessage, raw: Buffer): IdempotencyClaim | null {
  const key = req.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || key === '' || key.length > keyCharactersMax) {
    throw invalid({
      path: 'Idempotency-Key',
      code: key === '' ? 'TOO_SHORT' : 'TOO_LONG',
      message: `Idempotency-Key has 1 to ${keyCharactersMax} characters.`,
    })
  }
  const path = req.url!.split('?', 1)[0]!
  const fingerprint = createHash('sha256').update(`${req.method} ${path}\n`).update(raw).digest('base64url')
  return { key, fingerprint }
}
