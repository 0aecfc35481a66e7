import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const mark = 'ck_live_'
/** 190 random bits; 166 of them remain secret when the stored prefix is known. */
const randomLength = 32
const checksumLength = 6
const shownLength = mark.length + 4
const form = new RegExp(`^${mark}[0-9A-Za-z]{${randomLength + checksumLength}}$`)

export interface NewApiKey {
  /** Shown to its creator once and never stored. */
  readonly secret: string
  readonly prefix: string
  readonly hash: string
}

export type ParsedApiKey = Omit<NewApiKey, 'secret'>

/** CRC-32 in six base62 digits. It detects a mistyped or invented key without a database query. */
function checksumOf(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let digit = 0; digit < checksumLength; digit++) {
    digits = alphabet[rest % 62]! + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

const sha256 = (text: string): string => hash('sha256', text, 'hex')

/** `randomBelow` must be cryptographically secure. */
export function newApiKey(randomBelow: (bound: number) => number = randomInt): NewApiKey {
  let body = mark
  for (let digit = 0; digit < randomLength; digit++) body += alphabet[randomBelow(alphabet.length)]
  const secret = body + checksumOf(body)
  return { secret, prefix: secret.slice(0, shownLength), hash: sha256(secret) }
}

/** Null when the text cannot come from `newApiKey`. */
export function parseApiKey(text: string): ParsedApiKey | null {
  if (!form.test(text)) return null
  const body = text.slice(0, -checksumLength)
  if (text.slice(-checksumLength) !== checksumOf(body)) return null
  return { prefix: text.slice(0, shownLength), hash: sha256(text) }
}

export const looksLikeApiKey = (text: string): boolean => text.startsWith(mark)
