import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** What is signed: the body as it is sent, and the time of the attempt. */
export interface Signed {
  readonly eventId: string
  readonly body: Buffer
  readonly now: Date
}

const hexHmac = (key: KeyObject, before: string, body: Buffer): string =>
  createHmac('sha256', key).update(before).update(body).digest('hex')

const prefix = 'whsec_'

/** Standard Webhooks: the key is the part after the prefix, decoded from base64. */
const standardKey = (secret: string): Buffer =>
  secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret)

interface SigningKeys {
  readonly own: KeyObject
  readonly standard: KeyObject
}

const secretsKept = 1_000

/** Creating a key takes longer than signing with it. */
const keys = new LRUCache<string, SigningKeys>({
  max: secretsKept,
  memoMethod: (secret) => ({
    own: createSecretKey(Buffer.from(secret)),
    standard: createSecretKey(standardKey(secret)),
  }),
})

/**
 * The headers that prove where a delivery comes from. `secrets`: the current one first; with two, during the overlap of a rotation, the headers
 * that may hold several signatures have one by each secret.
 */
export function signatureHeaders({ eventId, body, now }: Signed, secrets: readonly string[]): Record<string, string> {
  const seconds = Math.floor(now.getTime() / 1000)
  const signing = secrets.map((secret) => keys.memo(secret))
  const versions = signing.map(({ own }) => `v1=${hexHmac(own, `${seconds}.`, body)}`)
  const standard = signing.map((key) => {
    const hmac = createHmac('sha256', key.standard).update(`${eventId}.${seconds}.`).update(body)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    'X-Service-Signature': [`t=${seconds}`, ...versions].join(','),
    'X-Webhook-Signature': createHmac('sha256', signing[0]!.own).update(body).digest('hex'),
    'X-Webhook-Timestamp': String(now.getTime()),
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  }
}
