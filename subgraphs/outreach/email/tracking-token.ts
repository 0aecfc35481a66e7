import { createHmac, timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'uuid'
import { derivedKey } from '../../kernel/secrets/derived-key.ts'
import type { Keys } from '../../kernel/secrets/keys.ts'

/** What a signed address of a mail does. */
export type TrackedKind = 'OPEN' | 'CLICK' | 'UNSUBSCRIBE'

export interface Tracked {
  readonly organizationId: string
  readonly messageId: string
  /** Index of the link; 0 for others. */
  readonly link: number
}

const kinds: Readonly<Record<TrackedKind, number>> = { OPEN: 1, CLICK: 2, UNSUBSCRIBE: 3 }
const bodyBytes = 34
const signatureBytes = 16

function signatureOf(key: Buffer, kind: TrackedKind, body: Buffer): Buffer {
  const mac = createHmac('sha256', derivedKey(key, 'outreach tracking')).update(Buffer.of(kinds[kind])).update(body)
  return mac.digest().subarray(0, signatureBytes)
}

/** The token of an address: organization, message and link, signed for this kind of address alone. 67 characters. */
export function trackingToken({ encryption }: Pick<Keys, 'encryption'>, kind: TrackedKind, tracked: Tracked): string {
  const body = Buffer.alloc(bodyBytes)
  body.set(parse(tracked.organizationId), 0)
  body.set(parse(tracked.messageId), 16)
  body.writeUInt16BE(tracked.link, 32)
  return Buffer.concat([body, signatureOf(encryption, kind, body)]).toString('base64url')
}

const form = /^[\w-]{67}$/

/** What a token names; null unless the platform signed it for this kind. */
export function readTrackingToken(
  { encryption }: Pick<Keys, 'encryption'>,
  kind: TrackedKind,
  token: string,
): Tracked | null {
  if (!form.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  const body = bytes.subarray(0, bodyBytes)
  if (bytes.length !== bodyBytes + signatureBytes) return null
  if (!timingSafeEqual(signatureOf(encryption, kind, body), bytes.subarray(bodyBytes))) return null
  return {
    organizationId: stringify(body.subarray(0, 16)),
    messageId: stringify(body.subarray(16, 32)),
    link: body.readUInt16BE(32),
  }
}
