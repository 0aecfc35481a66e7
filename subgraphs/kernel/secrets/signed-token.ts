import { createHmac, timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'uuid'
import { derivedKey } from './derived-key.ts'
import type { Keys } from './keys.ts'

type SigningKeys = Pick<Keys, 'encryption'>

/** What the token in the address of a mail names. */
export interface TokenContent {
  readonly organizationId: string
  /** Id of a record of the organization. */
  readonly id: string
  /** 0 to 65,535; its meaning depends on the purpose. */
  readonly number: number
}

const contentBytes = 34
const signatureBytes = 16
const form = /^[\w-]{67}$/

const signatureOf = ({ encryption }: SigningKeys, purpose: string, content: Buffer): Buffer =>
  createHmac('sha256', derivedKey(encryption, purpose)).update(content).digest().subarray(0, signatureBytes)

/** A token for an address in a mail, signed for one purpose alone, in 67 characters of base64url. */
export function signedToken(keys: SigningKeys, purpose: string, { organizationId, id, number }: TokenContent): string {
  const content = Buffer.alloc(contentBytes)
  content.set(parse(organizationId), 0)
  content.set(parse(id), 16)
  content.writeUInt16BE(number, 32)
  return Buffer.concat([content, signatureOf(keys, purpose, content)]).toString('base64url')
}

/** What a token names; null unless the platform signed it for this purpose. */
export function readSignedToken(keys: SigningKeys, purpose: string, token: string): TokenContent | null {
  if (!form.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  const content = bytes.subarray(0, contentBytes)
  // The last character has two bits more than the bytes: only one of its four forms is the token.
  if (bytes.toString('base64url') !== token) return null
  if (!timingSafeEqual(signatureOf(keys, purpose, content), bytes.subarray(contentBytes))) return null
  return {
    organizationId: stringify(content.subarray(0, 16)),
    id: stringify(content.subarray(16, 32)),
    number: content.readUInt16BE(32),
  }
}
