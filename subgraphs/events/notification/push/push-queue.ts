import { createHash } from 'node:crypto'
import webPush from 'web-push'
import { activeMembers, activeOrganizations } from '../../../identity/public.ts'
import type { Sql } from '../../../kernel/database/sql.ts'
import type { Job } from '../../../kernel/jobs/job.ts'
import { OutboundError, type OutboundAnswer } from '../../../kernel/outbound/outbound.ts'
import { deleteFinishedItems } from '../../../kernel/queue/delete-finished-items.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../../kernel/queue/queue.ts'
import type { Services } from '../../../kernel/request.ts'
import { platformId } from '../../../kernel/secrets/vault.ts'
import { keysPlace } from './push-subscription.actions.ts'

const minuteMs = 60_000
const secondsOfDay = 86_400
/** A push service accepts at least 4,096 bytes; encryption adds about 100. */
const payloadBytesMax = 3_900
const attemptsMax = 6

interface PushMessage extends QueuedItem {
  readonly organizationId: string
  readonly subscriptionId: string
  readonly notificationId: string
}

/** Sends messages to push services. A device gets one at a time, and organizations are served in turn. */
export const pushQueue: Queue<PushMessage> = {
  name: 'push',
  table: 'events.push_message',
  columns:
    'organization_id as "organizationId", subscription_id as "subscriptionId", notification_id as "notificationId"',
  leaseMs: minuteMs,
  attemptMsMax: 45_000,
  lanes: { fresh: 4, retry: 1 },
  shares: { organization: 'organization_id', key: 'subscription_id', perKeyMax: 1 },
  attemptsMax: () => attemptsMax,
  // 1, 4, 16, 64 and 256 minutes.
  retryAfterMs: ({ attempts }) => minuteMs * 4 ** (attempts - 1),
  retentionMs: 7 * secondsOfDay * 1000,
  attempt,
}

export const forgetPushes: Job = {
  name: 'push.forget',
  cron: '43 * * * *',
  run: (services) => deleteFinishedItems(pushQueue, services),
}

interface Target {
  readonly id: string
  readonly endpoint: string
  readonly keys: string
  readonly title: string
  readonly body: string
  readonly actionUrl: string | null
  readonly priority: string
  readonly groupKey: string
  readonly isRead: boolean
  readonly unreadCount: number
}

/** The message and its receiver, unless the user may no longer be notified. */
async function targetOf(
  { database }: Services,
  { organizationId, subscriptionId, notificationId }: PushMessage,
): Promise<Target | undefined> {
  const [target] = await database.query<Target>(
    `select n.id, s.endpoint, s.keys, n.title, n.body, n.action_url as "actionUrl", n.priority, n.group_key as "groupKey",
       n.is_read as "isRead",
       (select count(*) from events.notification other where other.organization_id = $1 and other.user_id = n.user_id
          and other.in_app = 'SENT' and other.read_at is null) as "unreadCount"
     from events.push_subscription s
     join events.notification n on n.organization_id = s.organization_id and n.user_id = s.user_id and n.id = $3
     join ${activeMembers('u')} on u.organization_id = s.organization_id and u.id = s.user_id
     join ${activeOrganizations('o')} on o.id = u.organization_id
     where s.organization_id = $1 and s.id = $2`,
    [organizationId, subscriptionId, notificationId],
  )
  return target
}

/** The notification gets its final state before the message ends, also when the last attempt is not taken. */
async function attempt(services: Services, message: Leased<PushMessage>): Promise<Outcome> {
  if (message.attempts < attemptsMax) return sendPush(services, message)
  const outcome = await sendPush(services, message).catch((error: Error): Outcome => ({ retry: error.message }))
  return 'retry' in outcome ? finished(services, message, 'FAILED', outcome.retry) : outcome
}

async function sendPush(services: Services, message: Leased<PushMessage>): Promise<Outcome> {
  const { vapid } = services.settings
  const target = await targetOf(services, message)
  if (!vapid || !target || target.isRead) return finished(services, message, 'SUPPRESSED')
  const { endpoint, keys: sealed, priority, groupKey } = target
  await services.vault.load(platformId, sealed)
  const keys = JSON.parse(services.vault.open(platformId, keysPlace(message.subscriptionId), sealed)) as {
    p256dh: string
    auth: string
  }
  const request = webPush.generateRequestDetails({ endpoint, keys }, payloadOf(target), {
    vapidDetails: vapid,
    TTL: secondsOfDay,
    urgency: priority === 'HIGH' ? 'high' : 'normal',
    // A device that was offline gets the newest message of a group only.
    topic: createHash('sha256').update(groupKey).digest('base64url').slice(0, 32),
  })
  // The length of the body is set when it is sent.
  const { 'Content-Length': _, ...headers } = request.headers as unknown as Readonly<Record<string, string | number>>
  try {
    const answer = await services.outbound.send({
      method: 'POST',
      url: endpoint,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body: request.body,
      answerBytesMax: 65_536,
    })
    return await outcomeOf(services, message, answer)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.reason === 'ADDRESS_REFUSED') return finished(services, message, 'FAILED', error.message)
    return { retry: error.message }
  }
}

function payloadOf({ id, title, body, actionUrl, priority, groupKey, unreadCount }: Target): string {
  const payload = (text: string): string =>
    JSON.stringify({ id, title, body: text, actionUrl, priority, groupKey, unreadCount })
  if (Buffer.byteLength(payload(body)) <= payloadBytesMax) return payload(body)
  return payload(`${Array.from(body).slice(0, 400).join('')}…`)
}

async function outcomeOf(services: Services, message: Leased<PushMessage>, answer: OutboundAnswer): Promise<Outcome> {
  const { status, headers } = answer
  if (status >= 200 && status < 300) return finished(services, message, 'SENT')
  if (status === 404 || status === 410) {
    await services.database.query(
      `delete from events.push_subscription where organization_id = $1 and id = $2`,
      [message.organizationId, message.subscriptionId],
      'WRITE',
    )
    await settle(services, message, 'GONE')
    return { end: 'GONE' }
  }
  const error = `The push service answered ${status}.`
  const isTransient = status === 429 || status >= 500
  if (!isTransient) return finished(services, message, 'FAILED', error)
  const seconds = Number(headers['retry-after'])
  return { retry: error, ...(seconds > 0 && { afterMs: Math.min(seconds, secondsOfDay) * 1000 }) }
}

async function finished(
  services: Services,
  message: Leased<PushMessage>,
  end: 'SENT' | 'SUPPRESSED' | 'FAILED',
  error?: string,
): Promise<Outcome> {
  await settle(services, message, end)
  return { end, ...(error !== undefined && { error }) }
}

/** The notification is SENT as soon as one device has it, and SUPPRESSED when the message to the last device has ended otherwise. */
async function settle(
  { database, clock }: Services,
  { organizationId, notificationId, subscriptionId, id, token }: Leased<PushMessage>,
  end: 'SENT' | 'SUPPRESSED' | 'FAILED' | 'GONE',
): Promise<void> {
  if (end === 'SENT') {
    await database.query(
      `with sent as (update events.push_subscription set last_sent_at = $3 where organization_id = $1 and id = $4)
       update events.notification set push = 'SENT' where organization_id = $1 and id = $2`,
      [organizationId, notificationId, clock.now().toISOString(), subscriptionId],
      'WRITE',
    )
    return
  }
  // Messages to two devices may end at the same time: with the lock, the later one sees that the other has ended.
  const work = async (sql: Sql): Promise<void> => {
    const notification = [organizationId, notificationId]
    await sql.query(`select from events.notification where organization_id = $1 and id = $2 for update`, notification)
    await sql.query(
      `update events.push_message set state = $3 where organization_id = $1 and id = $2 and lease_token = $4`,
      [organizationId, id, end, token],
    )
    await sql.query(
      `update events.notification set push = 'SUPPRESSED'
       where organization_id = $1 and id = $2 and push = 'PENDING' and not exists (
         select from events.push_message m where m.organization_id = $1 and m.notification_id = $2 and m.state = 'QUEUED')`,
      notification,
    )
  }
  await database.transaction(work, { hasEvents: () => false })
}
