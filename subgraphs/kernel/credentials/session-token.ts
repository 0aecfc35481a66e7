import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { SignJWT, errors, jwtVerify, type JWK } from 'jose'

/** The claims of a session token. Everything that can change is read from the session's record instead. */
export interface SessionClaims {
  readonly sessionId: string
  readonly userId: string
  readonly organizationId: string
}

export interface VerifiedSession extends SessionClaims {
  readonly expiresAtMs: number
}

export const sessionTokenSeconds = 15 * 60
const issuer = 'crm-platform-api'
// Distinguishes a session token from other tokens signed with the same key.
const typ = 'session+jwt'

const publicJwksByKey = new WeakMap<KeyObject, JWK & { kid: string }>()

/** The public key of the signing key; its `kid` is the thumbprint (RFC 7638). */
function publicJwk(signing: KeyObject): JWK & { kid: string } {
  let jwk = publicJwksByKey.get(signing)
  if (!jwk) {
    const { crv, kty, x } = createPublicKey(signing).export({ format: 'jwk' }) as {
      crv: string
      kty: string
      x: string
    }
    const kid = hash('sha256', JSON.stringify({ crv, kty, x }), 'base64url')
    publicJwksByKey.set(signing, (jwk = { kty, crv, x, kid, alg: 'EdDSA', use: 'sig' }))
  }
  return jwk
}

/** The public keys that verify session tokens, as a JWK set (RFC 7517). */
export const publicJwks = ({ signing }: { readonly signing: KeyObject }): { keys: JWK[] } => ({
  keys: [publicJwk(signing)],
})

export function signSessionToken(claims: SessionClaims, signing: KeyObject, now: Date): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000)
  return new SignJWT({ sid: claims.sessionId, org: claims.organizationId })
    .setProtectedHeader({ alg: 'EdDSA', typ, kid: publicJwk(signing).kid })
    .setSubject(claims.userId)
    .setIssuer(issuer)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + sessionTokenSeconds)
    .sign(signing)
}

/** `EXPIRED` for a correctly signed token after its expiry; `INVALID` for everything else that is not a valid session token. */
export async function verifySessionToken(
  token: string,
  verifying: KeyObject,
  now: Date,
): Promise<VerifiedSession | 'EXPIRED' | 'INVALID'> {
  try {
    const { payload } = await jwtVerify(token, verifying, {
      algorithms: ['EdDSA'],
      issuer,
      typ,
      currentDate: now,
      requiredClaims: ['sid', 'org', 'sub', 'exp'],
    })
    const { sid, org, sub, exp } = payload
    if (typeof sid !== 'string' || typeof org !== 'string' || !sub || !exp) return 'INVALID'
    return { sessionId: sid, userId: sub, organizationId: org, expiresAtMs: exp * 1000 }
  } catch (error) {
    if (error instanceof errors.JWTExpired) return 'EXPIRED'
    if (error instanceof errors.JOSEError) return 'INVALID'
    throw error
  }
}
