import { requireCurrentDefinitions, withCurrentExtensions } from '../../kernel/extension/current-extensions.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { inBatches, inTurns } from '../../kernel/queue/batches.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import { recordTypeIn } from '../../kernel/record/custom-object.ts'
import { inNameOf } from '../../kernel/record/in-name-of.ts'
import { lockNamed } from '../../kernel/record/lookup/check-lookups.ts'
import { followTarget } from '../../kernel/record/lookup/details.ts'
import { losersOf } from '../../kernel/record/merge/merged-records.ts'
import { moveReferences, moveRows } from '../../kernel/record/merge/move-references.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { inTransaction, systemContext, type RequestContext, type Services } from '../../kernel/request.ts'
import { mergeMove } from './merge-move.migrations.ts'

/** References that one transaction moves: well under a second. */
const batchSize = 250
/** Transactions that have checked a reference before a merge have ended after this time. */
const lateMs = 60_000

interface MoveItem extends QueuedItem {
  readonly object: string
  readonly recordId: string
  readonly requestedById: string | null
  readonly ageMs: number
}

/**
 * Moves some references to the records that were merged into this one. A process that dies has moved a batch or not, and the next one finds what is
 * left in the records, so the position needs no row. False if none are left.
 */
async function moveBatch(ctx: RequestContext, { object, recordId: winner, requestedById }: MoveItem): Promise<boolean> {
  await requireCurrentDefinitions(ctx)
  // Records that were restored meanwhile keep their references, and if this one was merged itself, another item has all of them.
  const isLive = (await lockNamed(ctx, object, [winner])).has(winner)
  const losers = await losersOf(ctx, [winner])
  if (losers.length === 0) return false
  const merged = { object, winner, losers }
  const inName = inNameOf(ctx, requestedById)
  const rows = await moveRows(ctx, merged, batchSize)
  const records = await moveReferences(inName, merged, { limit: batchSize, isComplete: true, isPlatform: true })
  // Of a record that was deleted meanwhile, its deletion has not cleared or deleted what is moved now.
  const builtIn = recordTypeIn(ctx, object)
  if (!isLive && builtIn && records > 0) await followTarget(inName, shapeFor(ctx, builtIn), 'DELETE', winner)
  return rows + records > 0
}

async function move(services: Services, item: Leased<MoveItem>, signal: AbortSignal): Promise<Outcome> {
  const outcome = await inBatches(signal, async () => {
    await services.extensions.load(item.organization!)
    const ctx = systemContext(services, item.organization!)
    return withCurrentExtensions(ctx, (current) => inTransaction(current, (inner) => moveBatch(inner, item)))
  })
  const leftMs = lateMs - item.ageMs
  return 'end' in outcome && leftMs > 0 ? { retry: '', isWait: true, afterMs: leftMs } : outcome
}

/** References to merged records that are moved after the merge: one record of an organization at a time, the organizations in turn. */
export const mergeMoveQueue: Queue<MoveItem> = {
  ...inTurns(),
  ...mergeMove,
  columns: `object, record_id as "recordId", requested_by_id as "requestedById",
    (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs"`,
  attempt: move,
}

export const forgetMergeMoves: Job = {
  name: 'merges.forgetMoves',
  cron: '57 4 * * *',
  run: (services) => deleteFinishedItems(mergeMoveQueue, services),
}
