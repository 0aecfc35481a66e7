import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Caller, IdempotencyClaim } from '../../subgraphs/kernel/context.ts'
import { invalid } from '../../subgraphs/kernel/errors.ts'
import { allowsDuplicates } from './allowed-duplicates.ts'
import { pathOf } from './blocked-path.ts'

const keyCharactersMax = 255

/**
 * The claim of an `Idempotency-Key`. Its fingerprint covers method, path and raw body. Anonymous callers have no claim, because
 * all of them would share one key space.
 */
export function claimOf(
  caller: Caller,
  req: IncomingMessage & { readonly originalUrl?: string },
  raw: Buffer,
): IdempotencyClaim | null {
  const key = req.headers['idempotency-key']
  if (key === undefined || caller.kind === 'ANONYMOUS') return null
  const path = pathOf(req.originalUrl ?? req.url ?? '/')
  // Without duplicates the request may have been refused, and is another one with them.
  const allowed = allowsDuplicates(req) ? ' duplicates' : ''
  return idempotencyClaim(key, () =>
    createHash('sha256').update(`${req.method} ${path}${allowed}\n`).update(raw).digest('base64url'),
  )
}

/** The claim of a key with its fingerprint; refuses a key that is no text of 1 to 255 characters. */
export function idempotencyClaim(key: unknown, fingerprint: () => string): IdempotencyClaim {
  if (typeof key !== 'string' || key === '' || key.length > keyCharactersMax) {
    throw invalid({
      path: 'Idempotency-Key',
      code: key === '' ? 'TOO_SHORT' : 'TOO_LONG',
      message: `Idempotency-Key must have 1 to ${keyCharactersMax} characters.`,
    })
  }
  return { key, fingerprint: fingerprint() }
}
