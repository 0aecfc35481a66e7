import type { Keys } from '../../kernel/secrets/keys.ts'
import { readSignedToken, signedToken } from '../../kernel/secrets/signed-token.ts'

/** What a signed address of a mail does. */
export type TrackedKind = 'OPEN' | 'CLICK' | 'UNSUBSCRIBE'

export interface Tracked {
  readonly organizationId: string
  readonly messageId: string
  /** Index of the link; 0 for others. */
  readonly link: number
}

const purposeOf = (kind: TrackedKind): string => `outreach tracking ${kind}`

/** The token of an address: organization, message and link, signed for this kind of address alone. */
export const trackingToken = (
  keys: Pick<Keys, 'encryption'>,
  kind: TrackedKind,
  { organizationId, messageId, link }: Tracked,
): string => signedToken(keys, purposeOf(kind), { organizationId, id: messageId, number: link })

/** What a token names; null unless the platform signed it for this kind. */
export function readTrackingToken(keys: Pick<Keys, 'encryption'>, kind: TrackedKind, token: string): Tracked | null {
  const content = readSignedToken(keys, purposeOf(kind), token)
  return content && { organizationId: content.organizationId, messageId: content.id, link: content.number }
}
