import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** The header that carries the token. */
export const callerHeader = 'x-caller'

const lifetimeS = 30
/** Allowed clock skew: how far the gateway's clock may be ahead. */
const skewS = 5

const header = encoded({ alg: 'HS256', typ: 'JWT' })

/** The content that a token signs. */
export interface Signed {
  /** The receiving subgraph (audience); another subgraph refuses the token. */
  readonly subgraph: string
  /** The whole request body: operation, variables and caller. */
  readonly body: string | Buffer
}

interface Claims {
  readonly aud: string
  readonly iat: number
  readonly exp: number
  /** SHA-256 of the body. */
  readonly digest: string
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

const digestOf = (body: string | Buffer): string => hash('sha256', body, 'base64url')

const signatureOf = (text: string, key: string): Buffer => createHmac('sha256', key).update(text).digest()

/**
 * Signs one request of the gateway, as a JWT (HS256) that is valid for thirty seconds. The caller is in the body, because it may
 * list a thousand users and would not fit into a header. The token contains the digest of the body, so it is invalid for another
 * caller or another operation.
 */
export function signCaller({ subgraph, body }: Signed, key: string, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000)
  const claims: Claims = { aud: subgraph, iat, exp: iat + lifetimeS, digest: digestOf(body) }
  const text = `${header}.${encoded(claims)}`
  return `${text}.${signatureOf(text, key).toString('base64url')}`
}

/** Whether the gateway has signed this body for this subgraph within the last thirty seconds. */
export function isSignedCaller(token: unknown, { subgraph, body }: Signed, key: string, now: Date): boolean {
  if (typeof token !== 'string') return false
  const [head, payload = '', signature = '', ...rest] = token.split('.')
  // Accept only our own JWT header, so that a token cannot choose the algorithm of its verification.
  if (head !== header || rest.length > 0) return false
  const given = Buffer.from(signature, 'base64url')
  const expected = signatureOf(`${head}.${payload}`, key)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
  const { aud, iat, exp, digest } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
  const seconds = now.getTime() / 1000
  return aud === subgraph && digest === digestOf(body) && iat <= seconds + skewS && seconds < exp
}
