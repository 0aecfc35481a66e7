import type { Services } from '../../../kernel/request.ts'
import type { Keys } from '../../../kernel/secrets/keys.ts'
import { readSignedToken, signedToken } from '../../../kernel/secrets/signed-token.ts'
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
const purpose = 'notification unsubscribe'

/** The token in a mail: the user and the categories that the mail is about, signed. */
export function unsubscribeToken(keys: Pick<Keys, 'encryption'>, given: Unsubscribing): string {
  const number = given.categories.reduce((bits, name) => bits | (1 << numbered.indexOf(name)), 0)
  return signedToken(keys, purpose, { organizationId: given.organizationId, id: given.userId, number })
}

/** What a token names; null unless the platform signed it. */
export function readUnsubscribeToken(keys: Pick<Keys, 'encryption'>, token: string): Unsubscribing | null {
  const content = readSignedToken(keys, purpose, token)
  if (!content) return null
  const { organizationId, id: userId, number } = content
  return { organizationId, userId, categories: numbered.filter((_, index) => (number & (1 << index)) !== 0) }
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
