import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { isUnfinished, readUndoJob, requireUndoJob, shownUndoJob } from './stored-undo-job.ts'
import type { UndoJob } from './undo-job.types.ts'
import { endJob } from './undo-progress.ts'

/** Ends a job. The records that are being processed at the moment are not changed; those before stay undone. */
export async function abortUndoJob(ctx: RequestContext, id: string): Promise<UndoJob> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const job = await requireUndoJob(inner, id, { isLocked: true })
    if (job.status === 'ABORTED') return shownUndoJob(job)
    if (!isUnfinished(job))
      throw refusalInSituation(`The undo job has ended: it is ${job.status}.`, { state: job.status })
    const { organizationId } = inner.caller
    await endJob(inner, organizationId, job.id, { status: 'ABORTED' })
    return shownUndoJob((await readUndoJob(inner, organizationId, job.id))!)
  })
}
