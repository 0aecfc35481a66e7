import { failureReason } from '../../kernel/database/failure-reason.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { Refusal } from '../../kernel/errors.ts'
import { inTransaction, type RequestContext, type Services } from '../../kernel/request.ts'
import { applySignal } from './email-status.ts'
import { organizationContext } from './organization-context.ts'

/** Opens and clicks that the gateway has stored and that are not counted yet, as the metrics measure them. */
export const waitingHits = { name: 'tracking_hit', table: 'outreach.tracking_hit' } as const

const organizationsMax = 100
/** Hits of one transaction: it locks their mails and threads. */
const togetherMax = 20
/** A hit that cannot be counted is tried again after 2, 4, 8 … seconds, and then left out. */
const attemptsMax = 10

interface Hit {
  readonly id: string
  readonly messageId: string
  /** Index of the link; null for an open. */
  readonly link: number | null
  readonly isMachine: boolean
  readonly seenAt: string
}

/**
 * Counts the hits that are due, in the order of their arrival. A hit is deleted in the transaction that counts it, so it is counted once, also
 * after `kill -9`. One process at a time works on an organization; the others pass over it.
 */
export async function countHits(services: Services): Promise<void> {
  for (const organizationId of await waitingOrganizations(services.database)) {
    const ctx = organizationContext(services, organizationId)
    try {
      await countTogether(ctx, togetherMax)
    } catch (error) {
      if (failureReason(error) !== null) throw error
      await countOneByOne(ctx, services)
    }
  }
}

const isDue = `state = 'QUEUED' and next_attempt_at <= statement_timestamp()`

/** Jumps along the primary key from organization to organization. */
async function waitingOrganizations(sql: Sql): Promise<string[]> {
  const next = (condition: string) =>
    `select organization_id as id from ${waitingHits.table} where ${isDue} and ${condition} order by organization_id limit 1`
  const rows = await sql.query<{ id: string }>(
    `with recursive waiting as (
       (${next('true')}) union all
       select following.* from waiting cross join lateral (${next('organization_id > waiting.id')}) following
     ) select id from waiting limit $1`,
    [organizationsMax],
  )
  return rows.map(({ id }) => id)
}

/** How many were counted. */
function countTogether(ctx: RequestContext, max: number): Promise<number> {
  const { organizationId } = ctx.caller
  return inTransaction(ctx, async (inner) => {
    const [lock] = await inner.db.query<{ isHeld: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 15)) as "isHeld"',
      [organizationId],
    )
    if (!lock!.isHeld) return 0
    const hits = await inner.db.query<Hit & Record<string, unknown>>(
      `delete from ${waitingHits.table} where organization_id = $1 and id in (
         select id from ${waitingHits.table} where organization_id = $1 and ${isDue} order by id limit $2
       ) returning id, message_id as "messageId", link, is_machine as "isMachine", seen_at as "seenAt"`,
      [organizationId, max],
      'WRITE',
    )
    for (const hit of hits.toSorted((a, b) => (a.id < b.id ? -1 : 1))) await count(inner, hit)
    return hits.length
  })
}

async function count(ctx: RequestContext, { messageId, link, isMachine, seenAt: at }: Hit): Promise<void> {
  try {
    await applySignal(ctx, messageId, ({ links }) => {
      if (link === null) return { kind: 'OPENED', at, isMachine }
      const url = links[link]
      return url ? { kind: 'CLICKED', at, url, isMachine } : null
    })
  } catch (error) {
    // The mail was deleted after it had been opened.
    if (!(error instanceof Refusal && error.code === 'NOT_FOUND')) throw error
  }
}

/** After a batch that failed: so that one hit does not hold up the others. */
async function countOneByOne(ctx: RequestContext, { log }: Services): Promise<void> {
  for (let n = 0; n < togetherMax; n++) {
    try {
      if ((await countTogether(ctx, 1)) === 0) return
    } catch (error) {
      if (failureReason(error) !== null) throw error
      const { organizationId } = ctx.caller
      const isLast = await postponeFirst(ctx.db, organizationId)
      log.warn({ err: error, organizationId, isLast }, 'an open or a click could not be counted')
    }
  }
}

/** True if the hit gets no further attempt, and is deleted. */
async function postponeFirst(sql: Sql, organizationId: string): Promise<boolean> {
  const isFirst = `organization_id = $1 and id = (
    select id from ${waitingHits.table} where organization_id = $1 and ${isDue} order by id limit 1
  )`
  const deleted = await sql.query(
    `delete from ${waitingHits.table} where ${isFirst} and attempts + 1 >= $2 returning 1`,
    [organizationId, attemptsMax],
    'WRITE',
  )
  if (deleted.length > 0) return true
  await sql.query(
    `update ${waitingHits.table} set attempts = attempts + 1,
       next_attempt_at = statement_timestamp() + 2 ^ (attempts + 1) * interval '1 second'
     where ${isFirst}`,
    [organizationId],
    'WRITE',
  )
  return false
}
