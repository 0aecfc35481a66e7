import { failureReason } from '../../kernel/database/failure-reason.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { Refusal } from '../../kernel/errors.ts'
import { inTransaction, type RequestContext, type Services } from '../../kernel/request.ts'
import { applySignal } from './email-status.ts'
import { organizationContext } from './organization-context.ts'
import { lockOf } from '../../kernel/database/locks.ts'

/** Opens and clicks that the gateway has stored and that are not counted yet, as the metrics measure them. */
export const waitingHits = { name: 'tracking_hit', table: 'outreach.tracking_hit' } as const

const organizationsMax = 100
/** Hits of one transaction: it locks their mails and threads. */
const togetherMax = 20
/** The counter gives way to everybody else who changes these mails and threads: long before the database looks for deadlocks. */
const lockMs = 200
/** A hit that cannot be counted is tried again after 2, 4, 8 … seconds, and then left out. */
const attemptsMax = 10

interface Hit {
  readonly id: string
  readonly messageId: string
  /** Index of the link; null for an open. */
  readonly link: number | null
  readonly isMachine: boolean
  readonly seenAt: string
  readonly attempts: number
  /** QUEUED; something else if a worker of an earlier version has counted it. */
  readonly state: string
}

/** A hit that cannot be counted; its transaction was rolled back. */
class UncountedHit extends Error {
  constructor(
    readonly hit: Hit,
    override readonly cause: unknown,
  ) {
    super('An open or a click could not be counted.')
  }
}

/**
 * Counts the hits that are due, of up to 100 organizations after the given one, in the order of their arrival. A hit is deleted in the
 * transaction that counts it, so it is counted once, also after `kill -9`. One process at a time works on an organization; the others pass over it,
 * and an organization that fails does not delay the others. Returns the organization after which the next round begins; null: with the first one.
 */
export async function countHits(
  services: Services,
  after: string | null = null,
  signal?: AbortSignal,
): Promise<string | null> {
  const organizations = await waitingOrganizations(services.database, after)
  for (const organizationId of organizations) {
    if (signal?.aborted) break
    await countOf(services, organizationId).catch((error: unknown) =>
      services.log.warn({ err: error, organizationId }, 'opens and clicks could not be counted; trying again'),
    )
  }
  return organizations.length === organizationsMax ? organizations.at(-1)! : null
}

const isDue = 'next_attempt_at <= statement_timestamp()'

/** Jumps along the primary key from organization to organization. */
async function waitingOrganizations(sql: Sql, after: string | null): Promise<string[]> {
  const next = (condition: string) =>
    `select organization_id as id from ${waitingHits.table} where ${isDue} and ${condition} order by organization_id limit 1`
  const rows = await sql.query<{ id: string }>(
    `with recursive waiting as (
       (${next('($1::uuid is null or organization_id > $1)')}) union all
       select following.* from waiting cross join lateral (${next('organization_id > waiting.id')}) following
     ) select id from waiting limit $2`,
    [after, organizationsMax],
  )
  return rows.map(({ id }) => id)
}

/** Hits that cannot be counted are postponed, so that they hold up no others. */
async function countOf(services: Services, organizationId: string): Promise<void> {
  const ctx = organizationContext(services, organizationId)
  for (let failures = 0; failures < togetherMax; failures++) {
    try {
      return await countTogether(ctx)
    } catch (error) {
      if (!(error instanceof UncountedHit)) throw error
      await postpone(ctx.db, organizationId, error.hit)
      services.log.warn({ err: error.cause, organizationId, hit: error.hit.id }, error.message)
    }
  }
}

function countTogether(ctx: RequestContext): Promise<void> {
  const { organizationId } = ctx.caller
  return inTransaction(ctx, async (inner) => {
    const [lock] = await inner.db.query<{ isHeld: boolean }>(
      `select pg_try_advisory_xact_lock(${lockOf('emailHits')}) as "isHeld", set_config('lock_timeout', '${lockMs}', true)`,
      [organizationId],
    )
    if (!lock!.isHeld) return
    const hits = await inner.db.query<Hit & Record<string, unknown>>(
      `delete from ${waitingHits.table} where organization_id = $1 and id in (
         select id from ${waitingHits.table} where organization_id = $1 and ${isDue} order by id limit ${togetherMax}
       ) returning id, message_id as "messageId", link, is_machine as "isMachine", seen_at as "seenAt", attempts, state`,
      [organizationId],
      'WRITE',
    )
    const waiting = hits.filter(({ state }) => state === 'QUEUED').toSorted((a, b) => (a.id < b.id ? -1 : 1))
    for (const hit of waiting)
      await count(inner, hit).catch((cause: unknown) => {
        throw isOfThePlatform(cause) ? cause : new UncountedHit(hit, cause)
      })
  })
}

/** A database or a platform that is busy says nothing about the hit. */
const isOfThePlatform = (error: unknown): boolean =>
  failureReason(error) !== null || (error instanceof Refusal && error.status >= 500)

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

/** Nothing happens if another process has postponed it meanwhile. */
async function postpone(sql: Sql, organizationId: string, { id, attempts }: Hit): Promise<void> {
  const change =
    attempts + 1 < attemptsMax
      ? `update ${waitingHits.table} set attempts = attempts + 1,
           next_attempt_at = statement_timestamp() + 2 ^ (attempts + 1) * interval '1 second'`
      : `delete from ${waitingHits.table}`
  await sql.query(
    `${change} where organization_id = $1 and id = $2 and attempts = $3`,
    [organizationId, id, attempts],
    'WRITE',
  )
}
