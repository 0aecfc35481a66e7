import { createHmac, timingSafeEqual } from 'node:crypto'

/** Older requests are refused, so that a recorded one cannot be repeated. */
const toleranceMs = 300_000

/**
 * Whether the provider signed this body with the secret: `t=<seconds>,v1=<HMAC-SHA256 of "<t>.<body>" in hex>`. There may be several v1
 * while a secret is replaced.
 */
export function isSignedBody(secret: string, header: string | undefined, body: Buffer, now: Date): boolean {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('=', 2) as [string, string?])
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now.getTime() - Number(time) * 1000) > toleranceMs) return false
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest()
  return parts
    .filter(([name, value]) => name === 'v1' && /^[0-9a-f]{64}$/.test(value ?? ''))
    .slice(0, 5)
    .some(([, value]) => timingSafeEqual(Buffer.from(value!, 'hex'), expected))
}
