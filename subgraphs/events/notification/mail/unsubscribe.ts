import { createHmac, timingSafeEqual } from 'node:crypto'
import { parse, stringify } from 'uuid'
import type { Services } from '../../../kernel/request.ts'
import { derivedKey } from '../../../kernel/secrets/derived-key.ts'
import type { Keys } from '../../../kernel/secrets/keys.ts'
import { categories, type Category } from '../catalog/notification-kind.ts'
import { turnOffMails } from '../preferences/stored-preferences.ts'

/** The gateway serves it. */
export const unsubscribePath = '/v1/public/mail/notifications'

export interface Unsubscribing {
  readonly organizationId: string
  readonly userId: string
  /** The categories of the notifications in the mail. */
  readonly categories: readonly Category[]
}

/** Their order is part of the tokens in mails that were sent: new ones are added at the end. */
const numbered = Object.keys(categories) as Category[]
const bodyBytes = 34
const signatureBytes = 16

const signatureOf = ({ encryption }: Pick<Keys, 'encryption'>, body: Buffer): Buffer =>
  createHmac('sha256', derivedKey(encryption, 'notification unsubscribe'))
    .update(body)
    .digest()
    .subarray(0, signatureBytes)

/** The token in a mail: the user and the categories that the mail is about, signed. 67 characters. */
export function unsubscribeToken(keys: Pick<Keys, 'encryption'>, given: Unsubscribing): string {
  const body = Buffer.alloc(bodyBytes)
  body.set(parse(given.organizationId), 0)
  body.set(parse(given.userId), 16)
  body.writeUInt16BE(
    given.categories.reduce((bits, name) => bits | (1 << numbered.indexOf(name)), 0),
    32,
  )
  return Buffer.concat([body, signatureOf(keys, body)]).toString('base64url')
}

const form = /^[\w-]{67}$/

/** What a token names; null unless the platform signed it. */
export function readUnsubscribeToken(keys: Pick<Keys, 'encryption'>, token: string): Unsubscribing | null {
  if (!form.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  const body = bytes.subarray(0, bodyBytes)
  if (bytes.length !== bodyBytes + signatureBytes) return null
  if (!timingSafeEqual(signatureOf(keys, body), bytes.subarray(bodyBytes))) return null
  const bits = body.readUInt16BE(32)
  return {
    organizationId: stringify(body.subarray(0, 16)),
    userId: stringify(body.subarray(16, 32)),
    categories: numbered.filter((_, index) => (bits & (1 << index)) !== 0),
  }
}

/** What the gateway needs for the addresses in mails about notifications. The token is the only credential. */
export interface NotificationMailService {
  /** What the categories contain, as the page says it; null for an unknown token. */
  describe(token: string): readonly string[] | null
  /** Turns off the mails of these categories; false for an unknown token, and if the user does not exist any longer. */
  unsubscribe(token: string): Promise<boolean>
}

export function notificationMailService({
  database,
  clock,
  keys,
}: Pick<Services, 'database' | 'clock' | 'keys'>): NotificationMailService {
  return {
    describe: (token) => readUnsubscribeToken(keys, token)?.categories.map((name) => categories[name]) ?? null,
    async unsubscribe(token) {
      const given = readUnsubscribeToken(keys, token)
      return given !== null && turnOffMails(database, given, clock.now())
    },
  }
}
