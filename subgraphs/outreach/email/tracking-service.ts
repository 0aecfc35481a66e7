import { activeOrganizations } from '../../identity/public.ts'
import type { Counters } from '../../kernel/counters/counters.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, type Services } from '../../kernel/request.ts'
import { organizationContext } from './organization-context.ts'
import { applySignal } from './email-status.ts'
import { readTrackingToken, type Tracked } from './tracking-token.ts'

/** What the gateway needs for the addresses in mails. */
export interface TrackingService {
  /** Stores that a mail was opened. An unknown token and one of a suspended organization do nothing. */
  open(token: string, userAgent: string): Promise<void>
  /** The target of a link, after storing that it was followed; null for an unknown token and for a suspended organization. */
  click(token: string, userAgent: string): Promise<string | null>
  /** Whether the token can be used to unsubscribe. */
  canUnsubscribe(token: string): Promise<boolean>
  /** Adds the recipient of the mail to the suppression list, also while the organization is suspended; false for an unknown token. */
  unsubscribe(token: string): Promise<boolean>
}

/** Privacy proxies, link scanners and previews. Apple's proxy sends `Mozilla/5.0` and nothing more. */
const machine =
  /googleimageproxy|yahoomailproxy|yahoocachesystem|bot\b|bot\/|crawler|spider|preview|scanner|proofpoint|mimecast|barracuda|safelinks|headless|curl\/|wget\/|python|java\/|go-http-client|okhttp/i

export const isMachine = (userAgent: string): boolean =>
  userAgent.trim() === '' || userAgent.trim() === 'Mozilla/5.0' || machine.test(userAgent)

const hourMs = 3_600_000
/** Hits of one mail and of one organization that are stored; further ones are answered and not counted. */
const perMessage = [{ max: 100, windowMs: hourMs }]
const perOrganization = [{ max: 60_000, windowMs: hourMs }]

async function isWithinLimits(counters: Counters, { organizationId, messageId }: Tracked, nowMs: number) {
  const space = 'tracking'
  const decisions = await counters.checkAll(
    [
      { space, key: messageId, limits: perMessage, hits: 1 },
      { space, key: organizationId, limits: perOrganization, hits: 1 },
    ],
    nowMs,
  )
  return decisions.every(({ allowed }) => allowed)
}

export function trackingService(services: Services): TrackingService {
  const { database, clock, keys, counters } = services
  const store = async (tracked: Tracked, link: number | null, userAgent: string): Promise<string | null> => {
    const { organizationId, messageId } = tracked
    const isStored = await isWithinLimits(counters, tracked, clock.now().getTime())
    const [row] = await database.query<{ url: string | null }>(
      `with message as (
         select m.links[$5::int + 1] as url from outreach.email_message m
         join ${activeOrganizations('o')} on o.id = m.organization_id
         where m.organization_id = $1 and m.id = $3 and m.deleted_at is null
       ), hit as (
         insert into outreach.tracking_hit (organization_id, id, message_id, link, is_machine, seen_at)
         select $1, $2, $3, $5, $4, $6 from message where $7 and ($5::int is null or message.url is not null)
       ) select url from message`,
      [organizationId, newId(), messageId, isMachine(userAgent), link, clock.now().toISOString(), isStored],
    )
    return row?.url ?? null
  }
  const recipient = async (tracked: Tracked): Promise<boolean> => {
    const rows = await database.query(
      `select 1 from outreach.email_message m
       where m.organization_id = $1 and m.id = $2 and m.direction = 'OUTBOUND'`,
      [tracked.organizationId, tracked.messageId],
    )
    return rows.length > 0
  }
  return {
    async open(token, userAgent) {
      const tracked = readTrackingToken(keys, 'OPEN', token)
      if (tracked) await store(tracked, null, userAgent)
    },
    async click(token, userAgent) {
      const tracked = readTrackingToken(keys, 'CLICK', token)
      return tracked && store(tracked, tracked.link, userAgent)
    },
    async canUnsubscribe(token) {
      const tracked = readTrackingToken(keys, 'UNSUBSCRIBE', token)
      return tracked !== null && recipient(tracked)
    },
    async unsubscribe(token) {
      const tracked = readTrackingToken(keys, 'UNSUBSCRIBE', token)
      if (!tracked || !(await recipient(tracked))) return false
      const ctx = organizationContext(services, tracked.organizationId)
      const at = clock.now().toISOString()
      await inTransaction(ctx, (inner) => applySignal(inner, tracked.messageId, { kind: 'UNSUBSCRIBED', at }))
      return true
    },
  }
}
