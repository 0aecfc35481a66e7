import { createHmac } from 'node:crypto'

/** What is signed: the body as it is sent, and the time of the attempt. */
export interface Signed {
  readonly eventId: string
  readonly body: string
  readonly now: Date
}

const hexHmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')

const prefix = 'whsec_'

/** Standard Webhooks: the key is the part after the prefix, decoded from base64. */
const standardKey = (secret: string): Buffer =>
  secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret)

/**
 * The headers that prove where a delivery comes from. `secrets`: the current one first; with two, during the overlap of a rotation, the headers
 * that may hold several signatures have one by each secret.
 */
export function signatureHeaders({ eventId, body, now }: Signed, secrets: readonly string[]): Record<string, string> {
  const seconds = Math.floor(now.getTime() / 1000)
  const versions = secrets.map((secret) => `v1=${hexHmac(secret, `${seconds}.${body}`)}`)
  const standard = secrets.map((secret) => {
    const hmac = createHmac('sha256', standardKey(secret)).update(`${eventId}.${seconds}.${body}`)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    'X-Service-Signature': [`t=${seconds}`, ...versions].join(','),
    'X-Webhook-Signature': hexHmac(secrets[0]!, body),
    'X-Webhook-Timestamp': String(now.getTime()),
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  }
}
