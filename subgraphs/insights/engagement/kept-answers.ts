import { createHash } from 'node:crypto'
import type { Job } from '../../kernel/jobs/job.ts'
import { withoutStorageRefusal } from '../../kernel/database/row-bytes.ts'
import type { RequestContext, Services } from '../../kernel/request.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'

/** How long an answer is kept: equal requests within it have the same answer. */
export const answerSeconds = 60
/** Larger answers are not kept. */
const answerCharactersMax = 262_144
/** Answers that are kept for an organization. */
const answersMax = 50

/** Identifies a computation. The pieces are hashed in turns, because they may be several megabytes. */
export async function digestOf(
  { caller }: RequestContext,
  name: string,
  pieces: readonly string[],
  settings: object,
): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify([name, settings]))
  for (const piece of pieces) {
    if (isTurnOver()) await nextTurn(caller.organizationId)
    hash.update('\n').update(piece)
  }
  return hash.digest()
}

export interface KeptAnswer {
  /** JSON. */
  readonly answer: string
  readonly computedAt: string
}

export async function keptAnswer({ db, caller, clock }: RequestContext, digest: Buffer): Promise<KeptAnswer | null> {
  const since = new Date(clock.now().getTime() - answerSeconds * 1000).toISOString()
  const [row] = await db.query<{ answer: string; computed_at: string }>(
    `select answer, computed_at from insights.engagement_answer
     where organization_id = $1 and digest = $2 and computed_at > $3`,
    [caller.organizationId, digest, since],
  )
  return row ? { answer: row.answer, computedAt: new Date(row.computed_at).toISOString() } : null
}

/**
 * Keeps an answer in place of those that are too old, or too many. Answers that another request is writing stay, so that no request waits for
 * another one; and an organization without room may still ask.
 */
export async function keepAnswer(
  { db, caller }: RequestContext,
  digest: Buffer,
  { answer, computedAt }: KeptAnswer,
): Promise<void> {
  if (answer.length > answerCharactersMax) return
  const since = new Date(Date.parse(computedAt) - answerSeconds * 1000).toISOString()
  await withoutStorageRefusal(db).query(
    `with old as (
       select digest from insights.engagement_answer where organization_id = $1 and digest <> $2 and (computed_at <= $5
         or digest in (select digest from insights.engagement_answer where organization_id = $1
           order by computed_at desc offset ${answersMax - 1}))
       for update skip locked),
     dropped as (
       delete from insights.engagement_answer where organization_id = $1 and digest in (select digest from old))
     insert into insights.engagement_answer (organization_id, digest, answer, computed_at) values ($1, $2, $3, $4)
     on conflict (organization_id, digest) do update set answer = excluded.answer, computed_at = excluded.computed_at`,
    [caller.organizationId, digest, answer, computedAt, since],
    'WRITE',
  )
}

/** Deletes what organizations that asked no more have left. */
async function forgetAnswers({ database, clock }: Services): Promise<void> {
  const since = new Date(clock.now().getTime() - answerSeconds * 1000).toISOString()
  await database.query('delete from insights.engagement_answer where computed_at <= $1', [since])
}

export const engagementForget: Job = { name: 'engagement.forget', cron: '25 * * * *', run: forgetAnswers }
