import type { Sql } from '../../kernel/database/sql.ts'
import { timeOfId } from '../../kernel/ids.ts'
import type { Attempted, Leased } from '../../kernel/queue/queue.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { disableFailingWebhook } from '../webhook/webhook.actions.ts'
import type { WebhookDeliveryStatus } from '../webhook/webhook.enumerations.ts'
import type { AttemptResult, QueuedDelivery } from './queued-delivery.ts'

/** After so many events in a row that failed every attempt, a webhook is turned off. */
const failuresMax = 10

type Status = Exclude<WebhookDeliveryStatus, 'PENDING'>

/** What is stored of an attempt. Members without a value are left out. */
interface Recorded extends Partial<AttemptResult> {
  readonly organizationId: string
  readonly id: string
  readonly token: string
  readonly status: Status
  readonly waitMs: number
  readonly error?: string | undefined
}

interface Ended {
  readonly item: Leased<QueuedDelivery>
  readonly recorded: Recorded
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
    const settled = await settle(sql, attempted.map(endedOf))
    const later = settled.filter(({ item }) => item.attempts > 1)
    if (later.length > 0) await closeFormerAttempts(sql, later)
    for (const failing of await updateStates(sql, settled)) {
      const ctx = { ...systemContext(services, failing.organizationId), db: sql }
      await disableFailingWebhook(ctx, failing.webhookId)
      hasDisabled = true
    }
  }
  await services.database.transaction(work, { hasEvents: () => hasDisabled, mayBeLost: true })
}

function endedOf({ item, outcome, waitMs }: Attempted<QueuedDelivery>): Ended {
  const { requestHeaders, responseStatus, responseBody, latencyMs } = (outcome.result ?? {}) as Partial<AttemptResult>
  const hasEnded = 'end' in outcome
  const recorded: Recorded = {
    organizationId: item.organizationId,
    id: item.id,
    token: item.token,
    status: hasEnded ? (outcome.end as 'SUCCEEDED' | 'FAILED') : 'RETRY_SCHEDULED',
    waitMs,
    error: hasEnded ? outcome.error : outcome.retry,
    requestHeaders,
    responseStatus,
    responseBody,
    latencyMs,
  }
  return { item, recorded }
}

/** Whether the outcome changes the number of failures in a row. */
const counts = ({ item, recorded }: Ended): boolean =>
  recorded.status !== 'RETRY_SCHEDULED' && recorded.requestHeaders != null && !item.isReplay && !item.isTest

const outcomes = `outcome as (
  select * from json_to_recordset($1::json) as o("organizationId" uuid, id uuid, token uuid, status text, "waitMs" float8, error text,
    "requestHeaders" json, "responseStatus" int, "responseBody" text, "latencyMs" int)
)`

/**
 * `is not distinct from` keeps the planner from the index of leased items: it would read all of them, and the entries of those that have ended,
 * instead of the row of each outcome.
 */
const holdsLease = 'q.lease_token is not distinct from o.token'

/** The id of the attempt whose lease the item has: the first one has the id of the delivery. */
const attemptId = `case when q.attempts = 1 then q.id else o.token end`
const ofItem =
  'q.webhook_id, q.body_id, q.event_id, q.event_type, q.event_version, q.attempts, q.is_replay, q.is_test, q.created_at'

/** Ends or reschedules the items whose lease is still held, and writes these attempts into the log. Returns their outcomes. */
async function settle(sql: Sql, given: readonly Ended[]): Promise<Ended[]> {
  const rows = await sql.query<{ organizationId: string; id: string }>(
    `with ${outcomes}, ended as (
       delete from events.delivery_queue q using outcome o
       where q.organization_id = o."organizationId" and q.id = o.id and ${holdsLease} and o.status <> 'RETRY_SCHEDULED'
       returning o.*, ${attemptId} as attempt_id, ${ofItem}, null::timestamptz as next_attempt_at
     ), rescheduled as (
       update events.delivery_queue q set lease_token = null, is_due = false, logged_id = ${attemptId}, last_error = o.error,
         attempts_failed = q.attempts_failed + 1, next_attempt_at = statement_timestamp() + o."waitMs" * interval '1 millisecond'
       from outcome o
       where q.organization_id = o."organizationId" and q.id = o.id and ${holdsLease} and o.status = 'RETRY_SCHEDULED'
       returning o.*, q.logged_id, ${ofItem}, q.next_attempt_at
     ), settled as (select * from ended union all select * from rescheduled),
     logged as (
       insert into events.delivery (organization_id, id, webhook_id, first_id, body_id, event_id, event_type, event_version, attempt, status,
         request_headers, response_status, response_body, latency_ms, error, is_replay, is_test, is_recoverable, created_at, next_attempt_at)
       select "organizationId", attempt_id, webhook_id, id, body_id, event_id, event_type, event_version, attempts, status,
         "requestHeaders"::text, "responseStatus", "responseBody", "latencyMs", error, is_replay, is_test,
         status = 'FAILED' and not is_replay and not is_test,
         case when attempts = 1 then created_at else now() - coalesce("latencyMs", 0) * interval '1 millisecond' end, next_attempt_at
       from settled
     )
     select "organizationId", id from settled`,
    [JSON.stringify(given.map(({ recorded }) => recorded))],
  )
  const settled = new Set(rows.map(({ organizationId, id }) => `${organizationId}:${id}`))
  return given.filter(({ recorded: { organizationId, id } }) => settled.has(`${organizationId}:${id}`))
}

const lost = 'The worker stopped during this attempt. The receiver may have received it.'

/**
 * The attempt before is no longer the last one. Attempts before it of which no outcome was recorded get rows, too: the first one, and the one whose
 * lease ended before this one.
 */
async function closeFormerAttempts(sql: Sql, later: readonly Ended[]): Promise<void> {
  const former = later.map(({ item: { organizationId, id, token, attempts, loggedId, lostToken } }) => ({
    organizationId,
    attemptId: token,
    loggedId,
    firstLostId: loggedId === null ? id : null,
    firstLostAt: timeOfId(id),
    lostId: attempts > 2 ? lostToken : null,
  }))
  await sql.query(
    `with former as (
       select * from json_to_recordset($1::json)
         as f("organizationId" uuid, "attemptId" uuid, "loggedId" uuid, "firstLostId" uuid, "firstLostAt" timestamptz, "lostId" uuid)
     ), closed as (
       update events.delivery d set status = 'FAILED', next_attempt_at = null
       from former f where d.organization_id = f."organizationId" and d.id = f."loggedId"
     )
     insert into events.delivery (organization_id, id, webhook_id, first_id, body_id, event_id, event_type, event_version, attempt, status,
       error, is_replay, is_test, created_at)
     select d.organization_id, lost.id, d.webhook_id, d.first_id, d.body_id, d.event_id, d.event_type, d.event_version, lost.attempt, 'FAILED',
       $2, d.is_replay, d.is_test, lost.created_at
     from former f join events.delivery d on d.organization_id = f."organizationId" and d.id = f."attemptId"
     cross join lateral (values (f."firstLostId", 1, f."firstLostAt"), (f."lostId", d.attempt - 1, now())) lost(id, attempt, created_at)
     where lost.id is not null`,
    [JSON.stringify(former), lost],
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

function stateChanges(ended: readonly Ended[]): StateChange[] {
  const changes = new Map<string, StateChange>()
  for (const each of ended) {
    const { organizationId, webhookId } = each.item
    const { status, responseStatus } = each.recorded
    const key = `${organizationId}:${webhookId}`
    const before = changes.get(key)
    const hasSucceeded = status === 'SUCCEEDED' && counts(each)
    changes.set(key, {
      organizationId,
      webhookId,
      hasSucceeded: hasSucceeded || (before?.hasSucceeded ?? false),
      failures: hasSucceeded ? 0 : (before?.failures ?? 0) + (status === 'FAILED' && counts(each) ? 1 : 0),
      status,
      responseStatus: responseStatus ?? null,
    })
  }
  return [...changes.values()]
}

/** Updates the states of the webhooks, in one order in all processes. Returns the webhooks that have failed too often. */
async function updateStates(
  sql: Sql,
  ended: readonly Ended[],
): Promise<{ organizationId: string; webhookId: string }[]> {
  const changes = stateChanges(ended)
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
