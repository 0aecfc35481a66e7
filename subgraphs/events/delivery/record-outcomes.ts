import type { Sql } from '../../kernel/database/sql.ts'
import type { Attempted } from '../../kernel/queue/queue.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { disableFailingWebhook } from '../webhook/webhook.actions.ts'
import type { WebhookDeliveryStatus } from '../webhook/webhook.enumerations.ts'
import { attemptIdOf, type AttemptResult, type QueuedDelivery } from './queued-delivery.ts'

/** After so many events in a row that failed every attempt, a webhook is turned off. */
const failuresMax = 10

interface Recorded extends Omit<AttemptResult, 'attemptId'> {
  readonly organizationId: string
  readonly id: string
  readonly attemptId: string
  readonly webhookId: string
  readonly token: string
  readonly lostToken: string | null
  readonly lastAttemptId: string
  readonly attempt: number
  readonly status: Exclude<WebhookDeliveryStatus, 'PENDING'>
  readonly waitMs: number
  readonly error: string | null
  /** Whether the outcome changes the number of failures in a row. */
  readonly counts: boolean
  /** Whether the delivery has failed for good, and may be recovered. */
  readonly isRecoverable: boolean
  /** When the next attempt is due; null if the delivery has ended. */
  readonly nextAttemptAt?: string | null
}

/**
 * Records the outcomes of attempts, in the queue, in the log and in the state of the webhooks. What a lost lease has attempted is ignored. A
 * webhook that has failed too often is turned off in the same transaction, so that exactly one event announces it. An outcome that is lost in a
 * crash of the database server is that of a lost attempt: the delivery is sent again.
 */
export async function recordOutcomes(
  services: Services,
  attempted: readonly Attempted<QueuedDelivery>[],
): Promise<void> {
  let hasDisabled = false
  const work = async (sql: Sql): Promise<void> => {
    const recorded = await settle(sql, attempted.map(recordedOf))
    const later = recorded.filter(({ attempt }) => attempt > 1)
    if (later.length > 0) await logLaterAttempts(sql, later)
    for (const failing of await updateStates(sql, recorded)) {
      const ctx = { ...systemContext(services, failing.organizationId), db: sql }
      await disableFailingWebhook(ctx, failing.webhookId)
      hasDisabled = true
    }
  }
  await services.database.transaction(work, { hasEvents: () => hasDisabled, mayBeLost: true })
}

function recordedOf({ item, outcome, waitMs }: Attempted<QueuedDelivery>): Recorded {
  const { requestHeaders, responseStatus, responseBody, latencyMs } = (outcome.result ?? {}) as Partial<AttemptResult>
  const hasEnded = 'end' in outcome
  const status = hasEnded ? (outcome.end as 'SUCCEEDED' | 'FAILED') : 'RETRY_SCHEDULED'
  const wasSent = requestHeaders != null
  return {
    organizationId: item.organizationId,
    id: item.id,
    attemptId: attemptIdOf(item),
    webhookId: item.webhookId,
    token: item.token,
    lostToken: item.lostToken,
    lastAttemptId: item.lastAttemptId,
    attempt: item.attempts,
    status,
    waitMs,
    error: (hasEnded ? outcome.error : outcome.retry) ?? null,
    isRecoverable: status === 'FAILED' && !item.isReplay && !item.isTest,
    counts: hasEnded && wasSent && !item.isReplay && !item.isTest,
    requestHeaders: requestHeaders ?? null,
    responseStatus: responseStatus ?? null,
    responseBody: responseBody ?? null,
    latencyMs: latencyMs ?? null,
  }
}

const outcomeColumns = `"organizationId" uuid, id uuid, "attemptId" uuid, token uuid, "lostToken" uuid, "lastAttemptId" uuid, attempt int,
  status text, "isRecoverable" boolean, "waitMs" float8, error text, "requestHeaders" json, "responseStatus" int, "responseBody" text, "latencyMs" int,
  "nextAttemptAt" timestamptz`

const outcomes = `outcome as (select * from json_to_recordset($1::json) as o(${outcomeColumns}))`

/**
 * `is not distinct from` keeps the planner from the index of leased items: it would read all of them, and the entries of those that have ended,
 * instead of the row of each outcome.
 */
const holdsLease = 'q.lease_token is not distinct from o.token'

/** Ends or reschedules the items whose lease is still held, and writes first attempts into their rows of the log. Returns these outcomes. */
async function settle(sql: Sql, given: readonly Recorded[]): Promise<Recorded[]> {
  const attemptIds = given.map(({ attemptId }) => attemptId).toSorted()
  const rows = await sql.query<{ organizationId: string; id: string; nextAttemptAt: string | null }>(
    `with ${outcomes}, ended as (
       delete from events.delivery_queue q using outcome o
       where q.organization_id = o."organizationId" and q.id = o.id and ${holdsLease} and o.status <> 'RETRY_SCHEDULED'
       returning o.*, null::timestamptz as next_attempt_at
     ), rescheduled as (
       update events.delivery_queue q set lease_token = null, is_due = false, last_attempt_id = o."attemptId", last_error = o.error,
         next_attempt_at = statement_timestamp() + o."waitMs" * interval '1 millisecond'
       from outcome o
       where q.organization_id = o."organizationId" and q.id = o.id and ${holdsLease} and o.status = 'RETRY_SCHEDULED'
       returning o.*, q.next_attempt_at
     ), settled as (select * from ended union all select * from rescheduled),
     logged as (
       update events.delivery d set status = s.status, request_headers = s."requestHeaders"::text, response_status = s."responseStatus",
         response_body = s."responseBody", latency_ms = s."latencyMs", error = s.error, is_recoverable = s."isRecoverable", next_attempt_at = s.next_attempt_at
       from settled s
       where s.attempt = 1 and d.organization_id = s."organizationId" and d.id = s."attemptId" and d.id between $2 and $3
     )
     select "organizationId", id, next_attempt_at as "nextAttemptAt" from settled`,
    // The range of ids spares the partitions of other weeks.
    [JSON.stringify(given), attemptIds[0], attemptIds.at(-1)],
  )
  const settled = new Map(rows.map((row) => [`${row.organizationId}:${row.id}`, row]))
  return given.flatMap((outcome) => {
    const row = settled.get(`${outcome.organizationId}:${outcome.id}`)
    return row ? [{ ...outcome, nextAttemptAt: row.nextAttemptAt }] : []
  })
}

const lost = 'The worker stopped during this attempt. The receiver may have received it.'

/** Adds rows for further attempts, and for those before them of which no outcome was recorded. The attempt before is no longer the last one. */
async function logLaterAttempts(sql: Sql, recorded: readonly Recorded[]): Promise<void> {
  const outcome = JSON.stringify(recorded)
  await sql.query(
    `with ${outcomes}
     update events.delivery d set status = 'FAILED', next_attempt_at = null,
       error = case when d.status = 'PENDING' then $2 else d.error end
     from outcome o where d.organization_id = o."organizationId" and d.id = o."lastAttemptId"`,
    [outcome, lost],
  )
  const shared = 'f.webhook_id, f.id, f.body_id, f.event_id, f.event_type, f.event_version'
  await sql.query(
    `with ${outcomes}
     insert into events.delivery (organization_id, id, webhook_id, first_id, body_id, event_id, event_type, event_version, attempt, status,
       request_headers, response_status, response_body, latency_ms, error, is_replay, is_test, is_recoverable, created_at, next_attempt_at)
     select f.organization_id, o."lostToken", ${shared}, o.attempt - 1, 'FAILED', null, null, null, null, $2, f.is_replay, f.is_test, false, now(), null
       from outcome o join events.delivery f on f.organization_id = o."organizationId" and f.id = o.id
       where o."lostToken" is not null and o.attempt > 2
     union all
     select f.organization_id, o."attemptId", ${shared}, o.attempt, o.status, o."requestHeaders"::text, o."responseStatus",
         o."responseBody", o."latencyMs", o.error, f.is_replay, f.is_test, o."isRecoverable",
         now() - coalesce(o."latencyMs", 0) * interval '1 millisecond', o."nextAttemptAt"
       from outcome o join events.delivery f on f.organization_id = o."organizationId" and f.id = o.id`,
    [outcome, lost],
  )
}

interface StateChange {
  readonly organizationId: string
  readonly webhookId: string
  /** Whether an event was delivered, which resets the number of failures. */
  readonly hasSucceeded: boolean
  /** Events that failed every attempt; after the last success, if there was one. */
  readonly failures: number
  readonly status: string
  readonly responseStatus: number | null
}

function stateChanges(recorded: readonly Recorded[]): StateChange[] {
  const changes = new Map<string, StateChange>()
  for (const { organizationId, webhookId, counts, status, responseStatus } of recorded) {
    const key = `${organizationId}:${webhookId}`
    const before = changes.get(key)
    const hasSucceeded = counts && status === 'SUCCEEDED'
    changes.set(key, {
      organizationId,
      webhookId,
      hasSucceeded: hasSucceeded || (before?.hasSucceeded ?? false),
      failures: hasSucceeded ? 0 : (before?.failures ?? 0) + (counts && status === 'FAILED' ? 1 : 0),
      status,
      responseStatus,
    })
  }
  return [...changes.values()]
}

/** Updates the states of the webhooks, in one order in all processes. Returns the webhooks that have failed too often. */
async function updateStates(
  sql: Sql,
  recorded: readonly Recorded[],
): Promise<{ organizationId: string; webhookId: string }[]> {
  const changes = stateChanges(recorded)
  if (changes.length === 0) return []
  return sql.query(
    `with change as (
       select * from json_to_recordset($1::json) as c(
         "organizationId" uuid, "webhookId" uuid, "hasSucceeded" boolean, failures int, status text, "responseStatus" int
       )
     ), locked as (
       select s.organization_id, s.webhook_id, c.* from change c
       join events.webhook_state s on s.organization_id = c."organizationId" and s.webhook_id = c."webhookId"
       order by s.organization_id, s.webhook_id for update of s
     ), changed as (
       update events.webhook_state s set last_delivery_at = statement_timestamp(), last_status = l.status,
         last_response_status = l."responseStatus",
         consecutive_failures = case when l."hasSucceeded" then 0 else s.consecutive_failures end + l.failures
       from locked l where s.organization_id = l.organization_id and s.webhook_id = l.webhook_id
       returning s.organization_id, s.webhook_id, s.consecutive_failures, l.failures
     )
     select organization_id as "organizationId", webhook_id as "webhookId" from changed
     where failures > 0 and consecutive_failures >= $2 order by 1, 2`,
    [JSON.stringify(changes), failuresMax],
  )
}
