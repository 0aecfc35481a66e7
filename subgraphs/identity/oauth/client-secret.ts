import { hash, randomBytes } from 'node:crypto'

export interface ClientSecret {
  /** Shown once and never stored. */
  readonly secret: string
  readonly prefix: string
  readonly hash: string
}

/** The hash that is stored instead of the client secret. */
const clientSecretHash = (secret: string): string => hash('sha256', secret, 'hex')

export function newClientSecret(secret = `cs_${randomBytes(32).toString('base64url')}`): ClientSecret {
  return { secret, prefix: secret.slice(0, 11), hash: clientSecretHash(secret) }
}
