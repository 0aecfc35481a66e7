import { Refusal } from '../../kernel/errors.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import type { RequestContext } from '../../kernel/request.ts'

/** Longer than a run may take, so that a run of a living process is never taken for that of a killed one. */
const leaseMs = 60_000
/** Longer than the answers of idempotency keys are kept. */
const keptMs = 2 * 86_400_000

export interface RunClaim {
  readonly db: Sql
  readonly organizationId: string
  readonly key: string
  readonly isRepeatable: boolean
  readonly now: Date
}

/**
 * Claims the run with an idempotency key, before it begins. False if a process that has ended had begun it and it must not be repeated; refuses while it
 * runs. A claim stays, because another request with the key may not have seen the stored answer.
 */
export async function claimRun({ db, organizationId, key, isRepeatable, now }: RunClaim): Promise<boolean> {
  const before = (ms: number): string => new Date(now.getTime() - ms).toISOString()
  await forgetOldClaims(db, organizationId, now)
  const taken = await db.query(
    `insert into extensions.action_claim (organization_id, key, begun_at) values ($1, $2, $3)
     on conflict (organization_id, key) do update set begun_at = excluded.begun_at
     where $4 and action_claim.begun_at <= $5 returning 1`,
    [organizationId, key, now.toISOString(), isRepeatable, before(leaseMs)],
    'WRITE',
  )
  if (taken.length > 0) return true
  const over = await db.query(
    'select 1 from extensions.action_claim where organization_id = $1 and key = $2 and begun_at <= $3',
    [organizationId, key, before(leaseMs)],
  )
  if (over.length > 0 && !isRepeatable) return false
  throw new Refusal('IDEMPOTENCY_IN_PROGRESS', 'The action is still running; retry in 1 s.', { retryAfter: 1 })
}

/** Another transaction may forget the same claims. */
const forgetOldClaims = (db: Sql, organizationId: string, now: Date): Promise<unknown> =>
  db.query(
    `delete from extensions.action_claim where organization_id = $1 and key in (
       select key from extensions.action_claim where organization_id = $1 and begun_at < $2
       order by begun_at limit 1000 for update skip locked)`,
    [organizationId, new Date(now.getTime() - keptMs).toISOString()],
    'WRITE',
  )

/** Claims the change of a record by the output of the run with this key, in the transaction of the change. False if it was made before. */
export async function claimWrite({ db, caller, clock }: RequestContext, key: string): Promise<boolean> {
  const { organizationId } = caller
  await forgetOldClaims(db, organizationId, clock.now())
  const taken = await db.query(
    `insert into extensions.action_claim (organization_id, key, begun_at) values ($1, $2, $3)
     on conflict (organization_id, key) do nothing returning 1`,
    [organizationId, `written ${key}`, clock.now().toISOString()],
    'WRITE',
  )
  return taken.length > 0
}

/** Gives a claim back, because nothing has begun. */
export async function releaseRun({ db, organizationId, key }: RunClaim): Promise<void> {
  await db.query(
    'delete from extensions.action_claim where organization_id = $1 and key = $2',
    [organizationId, key],
    'WRITE',
  )
}
