import { createHmac, timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'uuid'
import { derivedKey } from '../secrets/derived-key.ts'
import type { Keys } from '../secrets/keys.ts'

/** A file that may be downloaded until a time. */
interface Download {
  readonly organizationId: string
  readonly id: string
  readonly expiresAt: Date
}

const contentBytes = 36
const form = /^[\w-]{91}$/

const signatureOf = ({ encryption }: Pick<Keys, 'encryption'>, content: Buffer): Buffer =>
  createHmac('sha256', derivedKey(encryption, 'file download')).update(content).digest()

/** The token of a link to one file, signed with its expiry, in base64url. */
export function downloadToken(keys: Pick<Keys, 'encryption'>, { organizationId, id, expiresAt }: Download): string {
  const content = Buffer.alloc(contentBytes)
  content.set(parse(organizationId), 0)
  content.set(parse(id), 16)
  content.writeUInt32BE(Math.floor(expiresAt.getTime() / 1_000), 32)
  return Buffer.concat([content, signatureOf(keys, content)]).toString('base64url')
}

/** What a token names; null unless the platform signed it and it has not expired. */
export function readDownloadToken(keys: Pick<Keys, 'encryption'>, token: string, now: Date): Download | null {
  if (!form.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  const content = bytes.subarray(0, contentBytes)
  if (!timingSafeEqual(signatureOf(keys, content), bytes.subarray(contentBytes))) return null
  const expiresAt = new Date(content.readUInt32BE(32) * 1_000)
  if (expiresAt <= now) return null
  return { organizationId: stringify(content.subarray(0, 16)), id: stringify(content.subarray(16, 32)), expiresAt }
}
