import { createHmac } from 'node:crypto'

/** The headers by which a receiver of webhooks knows that a request is genuine; the guide "Verify a webhook" describes them. */
export function signatureHeaders(secret: string, eventId: string, body: string, now: Date): Record<string, string> {
  const seconds = Math.floor(now.getTime() / 1000)
  const prefix = 'whsec_'
  const standardKey = secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : secret
  const own = (text: string): string => createHmac('sha256', secret).update(text).digest('hex')
  const standard = createHmac('sha256', standardKey).update(`${eventId}.${seconds}.${body}`).digest('base64')
  return {
    'X-Service-Signature': `t=${seconds},v1=${own(`${seconds}.${body}`)}`,
    'X-Webhook-Signature': own(body),
    'X-Webhook-Timestamp': String(now.getTime()),
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${standard}`,
  }
}
