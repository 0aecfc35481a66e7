import type { RequestHandler } from 'express'
import { publicJwks } from '../../subgraphs/kernel/credentials/public.ts'
import type { Keys } from '../../subgraphs/kernel/secrets/keys.ts'

/** The public keys that verify access tokens (RFC 7517). */
export function jwksJson(keys: Keys): RequestHandler {
  const jwks = publicJwks(keys)
  return (_req, res) => void res.set('Cache-Control', 'public, max-age=300').type('application/jwk-set+json').send(jwks)
}
