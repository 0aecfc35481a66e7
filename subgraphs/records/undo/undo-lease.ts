import { actingCaller, currentScopes } from '../../identity/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { newId } from '../../kernel/ids.ts'
import type { Leased, QueuedItem } from '../../kernel/queue/queue.ts'
import {
  portNames,
  portsOf,
  requestContext,
  type Port,
  type RequestContext,
  type Services,
} from '../../kernel/request.ts'
import { isUnfinished, lacksScopes, operationOfUndo, readUndoJob, type StoredUndoJob } from './stored-undo-job.ts'

export interface RunItem extends QueuedItem {
  /** Attempts in a row that could not go on. */
  readonly pauses: number
}

/** One attempt to go on with a job. */
export interface Turn {
  readonly services: Services
  readonly item: Leased<RunItem>
  readonly organizationId: string
}

/** The job has ended otherwise, or another attempt has the lease. */
export class JobEnded extends Error {}

/** Events wait for their positions in the log. */
export class EventsWaiting extends Error {}

/** Why a job cannot go on for good. */
export class JobFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

const denied = (message: string): JobFailure => new JobFailure('PERMISSION_DENIED', message)

/** In which the job changes records: with the rights that its user and its credential have at this moment. Throws if they may not act any more. */
export async function contextOf({ services, organizationId }: Turn, job: StoredUndoJob): Promise<RequestContext<Port>> {
  const { id, createdById: userId, createdWith } = job
  const scopes = await currentScopes(services.database, { organizationId, userId, scopes: job.scopes, createdWith })
  if (!scopes) throw denied('The credential that created the job has been revoked.')
  await services.extensions.load(organizationId)
  await services.vault.load(organizationId)
  const origin = { kind: 'UNDO_JOB', id, runId: id }
  const acting = { organizationId, userId, scopes, runAsAdmin: true, origin, depth: 0 }
  const caller = await actingCaller(services.database, acting)
  if (!caller)
    throw new JobFailure('OWNER_INACTIVE', 'The user who created the job is not active in the organization any more.')
  if (caller.role === 'READ_ONLY') throw denied('The user who created the job may read but not change records.')
  const operation = { caller, requestId: newId(), idempotency: null, operationId: operationOfUndo(id) }
  const ctx = requestContext(operation, services, { ports: portsOf(services, portNames) })
  if (lacksScopes(ctx, job)) throw denied('The credential that created the job lacks the scopes of its record types.')
  return ctx
}

/** Until the transaction ends, no other attempt gets the job. */
export async function requireLease(db: Sql, { item, organizationId }: Turn, isProgress: boolean): Promise<void> {
  const rows = await db.query(
    `update records.undo_run set next_attempt_at = greatest(next_attempt_at, statement_timestamp() + interval '30 seconds')${isProgress ? ', pauses = 0, attempts = 1' : ''}
     where organization_id = $1 and id = $2 and lease_token = $3 and state = 'QUEUED' returning 1`,
    [organizationId, item.id, item.token],
    'WRITE',
  )
  if (rows.length === 0) throw new JobEnded()
}

/** The job as it is now, under the lease; throws if it has ended. It is not locked, so that it can be aborted meanwhile: what stores the progress must look at its state again. */
export async function requireUnfinished(
  ctx: Pick<RequestContext, 'db'>,
  turn: Turn,
  isProgress = true,
): Promise<StoredUndoJob> {
  await requireLease(ctx.db, turn, isProgress)
  const job = await readUndoJob(ctx, turn.organizationId, turn.item.id)
  if (!job || !isUnfinished(job)) throw new JobEnded()
  return job
}
