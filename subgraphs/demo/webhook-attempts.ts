import { storedHeaders } from '../events/delivery/attempt-delivery.ts'
import type { Sql } from '../kernel/database/sql.ts'
import { iso } from './calendar.ts'
import type { GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

interface Queued {
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly eventVersion: number
  readonly bodyId: string
  readonly body: string
  readonly occurredAt: string
}

interface Answer {
  readonly status: number
  readonly body: string
}

const received: Answer = { status: 200, body: '{"received":true}' }
const unavailable: Answer = { status: 503, body: 'Service Unavailable' }
const attemptsMax = 4
const retryDelayMs = 60_000

/** The answers to the attempts of a delivery: most are received at once, some after a retry, and a few fail every attempt. */
const answersOf = (index: number): readonly Answer[] => {
  if (index % 11 === 7) return Array.from({ length: attemptsMax }, () => unavailable)
  return index % 5 === 2 ? [unavailable, received] : [received]
}

/** Replaces the queued deliveries of the organization by their attempts, with ids that are the same on every machine. */
export async function logAttempts(
  sql: Sql,
  { organizationId, profile }: GeneratorInput,
  secrets: ReadonlyMap<string, string>,
): Promise<void> {
  const random = new Random(`deliveries ${profile.code}`)
  const queued = await sql.query<Queued & Record<string, unknown>>(
    `select d.webhook_id as "webhookId", d.event_id as "eventId", d.event_type as "eventType", d.event_version as "eventVersion",
       b.id as "bodyId", b.body, e.occurred_at as "occurredAt"
     from events.delivery_queue d join kernel.event e on e.organization_id = d.organization_id and e.id = d.event_id
     join events.delivery_body b on b.organization_id = d.organization_id and b.id = d.body_id
     where d.organization_id = $1 order by e.occurred_at, e.id, d.webhook_id`,
    [organizationId],
  )
  const rows = queued.flatMap((delivery, index) => attemptsOf(delivery, answersOf(index), secrets, random))
  await sql.query('delete from events.delivery_queue where organization_id = $1', [organizationId])
  await sql.query(
    `insert into events.delivery (organization_id, id, webhook_id, first_id, event_id, event_type, event_version, attempt, status,
       request_headers, body_id, response_status, response_body, latency_ms, error, is_replay, is_test, is_recoverable, created_at)
     select $1, id, "webhookId", "firstId", "eventId", "eventType", "eventVersion", attempt, status, headers, "bodyId", "responseStatus",
       "responseBody", "latencyMs", error, false, false, "isRecoverable", "createdAt"
     from json_to_recordset($2::json) as r(id uuid, "webhookId" uuid, "firstId" uuid, "eventId" uuid, "eventType" text, "eventVersion" int,
       attempt int, status text, headers text, "bodyId" uuid, "responseStatus" int, "responseBody" text, "latencyMs" int, error text,
       "isRecoverable" boolean, "createdAt" timestamptz)`,
    [organizationId, JSON.stringify(rows)],
  )
  await sql.query(
    `update events.webhook_state s set last_delivery_at = l.created_at, last_status = l.status, last_response_status = l.response_status
     from (
       select distinct on (webhook_id) webhook_id, created_at, status, response_status from events.delivery
       where organization_id = $1 order by webhook_id, created_at desc
     ) l where s.organization_id = $1 and s.webhook_id = l.webhook_id`,
    [organizationId],
  )
}

function attemptsOf(
  { body, occurredAt, ...delivery }: Queued,
  answers: readonly Answer[],
  secrets: ReadonlyMap<string, string>,
  random: Random,
) {
  const webhook = { secret: secrets.get(delivery.webhookId)!, previousSecret: null, previousSecretExpiresAt: null }
  const content = { ...delivery, depth: 0, body: Buffer.from(body) }
  const startMs = Date.parse(occurredAt) + random.whole(20, 90)
  const firstId = random.id(startMs)
  return answers.map((answer, index) => {
    const attempt = index + 1
    const atMs = startMs + retryDelayMs * (2 ** index - 1)
    const id = index === 0 ? firstId : random.id(atMs)
    const isReceived = answer === received
    return {
      ...delivery,
      id,
      firstId,
      attempt,
      status: isReceived ? 'SUCCEEDED' : 'FAILED',
      headers: JSON.stringify(storedHeaders(webhook, content, new Date(atMs))),
      responseStatus: answer.status,
      responseBody: answer.body,
      latencyMs: random.whole(35, 400),
      error: isReceived ? null : `The receiver answered with status ${answer.status}.`,
      isRecoverable: !isReceived && attempt === attemptsMax,
      createdAt: iso(atMs),
    }
  })
}
