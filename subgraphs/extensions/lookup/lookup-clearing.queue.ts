import { requireCurrentDefinitions, withCurrentExtensions } from '../../kernel/extension/current-extensions.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { inBatches, inTurns } from '../../kernel/queue/batches.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import { recordTypeIn } from '../../kernel/record/custom-object.ts'
import { clearReferences, namingRecords } from '../../kernel/record/lookup/deleted-targets.ts'
import { inNameOf } from '../../kernel/record/in-name-of.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { inTransaction, systemContext, type RequestContext, type Services } from '../../kernel/request.ts'
import { lookupClearing } from './lookup-clearing.migrations.ts'

/** Records whose references one transaction clears: well under a second. */
const batchSize = 250

interface ClearingItem extends QueuedItem {
  readonly object: string
  readonly recordId: string
  readonly requestedById: string | null
}

/**
 * Clears some of the references. A process that dies has cleared a batch or not, and the next one finds what is left in the index of values, so the
 * position needs no row. False if none are left, or if the record was restored meanwhile: what still names it keeps its value.
 */
async function clearBatch(ctx: RequestContext, { object, recordId, requestedById }: ClearingItem): Promise<boolean> {
  await requireCurrentDefinitions(ctx)
  const builtIn = recordTypeIn(ctx, object)
  if (!builtIn) return false
  const shape = shapeFor(ctx, builtIn)
  // A restoration waits for the batch.
  const deleted = await ctx.db.query(
    `select from ${shape.table} where organization_id = $1 and id = $2 and deleted_at is not null for share`,
    [ctx.caller.organizationId, recordId],
  )
  if (deleted.length === 0) return false
  const records = await namingRecords(ctx, shape, recordId, batchSize)
  if (records.size === 0) return false
  return (await clearReferences(inNameOf(ctx, requestedById), shape, recordId, records)) > 0
}

async function clear(services: Services, item: Leased<ClearingItem>, signal: AbortSignal): Promise<Outcome> {
  return inBatches(signal, async () => {
    await services.extensions.load(item.organization!)
    const ctx = systemContext(services, item.organization!)
    return withCurrentExtensions(ctx, (current) => inTransaction(current, (inner) => clearBatch(inner, item)))
  })
}

/** References to deleted records that are cleared after the deletion: one record of an organization at a time, the organizations in turn. */
export const lookupClearingQueue: Queue<ClearingItem> = {
  ...inTurns(),
  ...lookupClearing,
  columns: 'object, record_id as "recordId", requested_by_id as "requestedById"',
  attempt: clear,
}

export const forgetLookupClearings: Job = {
  name: 'lookups.forgetClearings',
  cron: '55 4 * * *',
  run: (services) => deleteFinishedItems(lookupClearingQueue, services),
}
