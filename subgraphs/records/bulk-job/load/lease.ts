import type { Leased, QueuedItem } from '../../../kernel/queue/queue.ts'
import type { RequestContext } from '../../../kernel/request.ts'

export interface RunItem extends QueuedItem {
  /** Attempts in a row that could not go on. */
  readonly pauses: number
}

/** The job has ended otherwise, or another attempt has the lease. */
export class JobEnded extends Error {}

/** Why a job cannot go on for good. */
export class JobFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/**
 * Until the transaction ends, no other attempt gets the job, and after it for half a minute: a process that dies holds it no longer. `isProgress`: what
 * the transaction does is progress, if it commits.
 */
export async function requireLease(
  { db }: Pick<RequestContext, 'db'>,
  { id, organization, token }: Leased<RunItem>,
  isProgress = false,
): Promise<void> {
  const rows = await db.query(
    `update records.bulk_run set next_attempt_at = statement_timestamp() + interval '30 seconds'${isProgress ? ', pauses = 0' : ''}
     where organization_id = $1 and id = $2 and lease_token = $3 and state = 'QUEUED' returning 1`,
    [organization, id, token],
    'WRITE',
  )
  if (rows.length === 0) throw new JobEnded()
}
