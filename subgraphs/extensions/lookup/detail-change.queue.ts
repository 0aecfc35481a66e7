import { requireCurrentDefinitions, withCurrentExtensions } from '../../kernel/extension/current-extensions.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { inBatches, inTurns } from '../../kernel/queue/batches.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import { recordTypeIn } from '../../kernel/record/custom-object.ts'
import { deleteSome } from '../../kernel/record/lookup/deleted-details.ts'
import type { DetailOperation } from '../../kernel/record/lookup/detail-fields.ts'
import { restoreSome } from '../../kernel/record/lookup/restored-details.ts'
import { inNameOf } from '../../kernel/record/in-name-of.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { inTransaction, systemContext, type RequestContext, type Services } from '../../kernel/request.ts'
import { detailChange } from './detail-change.migrations.ts'

interface DetailItem extends QueuedItem {
  readonly object: string
  readonly recordId: string
  readonly operation: DetailOperation
  readonly requestedById: string | null
}

/**
 * Deletes or restores some of the details. A process that dies has changed a batch or not, and the next one finds what is left, so the position needs no
 * row. False if none are left, or if the master was restored or deleted meanwhile: its details then follow that change.
 */
async function changeBatch(
  ctx: RequestContext,
  { object, recordId, operation, requestedById }: DetailItem,
): Promise<boolean> {
  await requireCurrentDefinitions(ctx)
  const builtIn = recordTypeIn(ctx, object)
  if (!builtIn) return false
  const shape = shapeFor(ctx, builtIn)
  const state = operation === 'DELETE' ? 'not null' : 'null'
  // A restoration or a deletion of the master waits for the batch.
  const found = await ctx.db.query(
    `select from ${shape.table} t where t.organization_id = $1 and t.id = $2 and t.deleted_at is ${state} for share of t`,
    [ctx.caller.organizationId, recordId],
  )
  if (found.length === 0) return false
  const change = operation === 'DELETE' ? deleteSome : restoreSome
  return !(await change(inNameOf(ctx, requestedById), shape, recordId))
}

async function changeDetails(services: Services, item: Leased<DetailItem>, signal: AbortSignal): Promise<Outcome> {
  return inBatches(signal, async () => {
    await services.extensions.load(item.organization!)
    const ctx = systemContext(services, item.organization!)
    return withCurrentExtensions(ctx, (current) => inTransaction(current, (inner) => changeBatch(inner, item)))
  })
}

/** Details of deleted and restored records that follow in the background: those of one record of an organization at a time, the organizations in turn. */
export const detailChangeQueue: Queue<DetailItem> = {
  ...inTurns(60_000),
  ...detailChange,
  columns: 'object, record_id as "recordId", operation, requested_by_id as "requestedById"',
  attempt: changeDetails,
}

export const forgetDetailChanges: Job = {
  name: 'details.forgetChanges',
  cron: '50 4 * * *',
  run: (services) => deleteFinishedItems(detailChangeQueue, services),
}
