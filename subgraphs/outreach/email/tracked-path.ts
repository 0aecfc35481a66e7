import type { TrackedKind } from './tracking-token.ts'

/** The paths of the addresses in mails; the gateway serves them. */
export const trackedPath: Readonly<Record<TrackedKind, string>> = {
  OPEN: '/v1/public/mail/open',
  CLICK: '/v1/public/mail/click',
  UNSUBSCRIBE: '/v1/public/mail/unsubscribe',
}
