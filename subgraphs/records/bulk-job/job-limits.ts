import { lockOf } from '../../kernel/database/locks.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'

export type BulkContext = RequestContext<'files'>

const limitTexts = { OPEN: 'whose upload is not complete', UPLOAD_COMPLETE: 'that wait for their turn' } as const

/** Refuses a job of an organization that has as many in this state as it may have. */
export async function requireRoom(
  db: RequestContext['db'],
  organizationId: string,
  state: keyof typeof limitTexts,
  max: number,
): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(${lockOf('bulkJobs')})`, [organizationId], 'WRITE')
  const [row] = await db.query<{ count: number }>(
    'select count(*)::int as count from records.bulk_job where organization_id = $1 and job_state = $2',
    [organizationId, state],
    'WRITE',
  )
  if (row!.count >= max)
    throw new Refusal(
      'LIMIT_REACHED',
      `The organization may have at most ${max} bulk jobs ${limitTexts[state]}; complete, abort or delete some.`,
      { limit: max },
    )
}
