import type { KeyObject } from 'node:crypto'
import { SignJWT, errors, jwtVerify } from 'jose'

/** What a session token says; everything that can change is read from the session's record. */
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
// Tells a session token from anything else that the same key may come to sign.
const typ = 'session+jwt'

export function signSessionToken(claims: SessionClaims, signing: KeyObject, now: Date): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000)
  return new SignJWT({ sid: claims.sessionId, org: claims.organizationId })
    .setProtectedHeader({ alg: 'EdDSA', typ })
    .setSubject(claims.userId)
    .setIssuer(issuer)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + sessionTokenSeconds)
    .sign(signing)
}

/** `EXPIRED` only for a token that was genuine; `INVALID` for everything else that is not a session token of ours. */
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
